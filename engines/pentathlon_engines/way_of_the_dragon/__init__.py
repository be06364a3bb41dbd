"""Way of the Dragon: two to five players roll dice and walk five paths of elements."""

from pentathlon_engines.way_of_the_dragon.game import GAME, WayOfTheDragonState

__all__ = ["GAME", "WayOfTheDragonState"]
