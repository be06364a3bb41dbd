"""Connect four, the example of "Add a game": seven columns, and four discs in a line win."""

from pentathlon_engines.examples.connect_four.game import GAME, ConnectFourState

__all__ = ["GAME", "ConnectFourState"]
