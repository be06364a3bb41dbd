"""Tuned: two players stack shared animals and make a line of three equal tops."""

from pentathlon_engines.tuned.game import GAME
from pentathlon_engines.tuned.state import TunedState

__all__ = ["GAME", "TunedState"]
