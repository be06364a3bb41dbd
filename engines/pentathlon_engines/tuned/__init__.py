"""Tuned: two players stack shared animals and make a line of three equal tops."""

from pentathlon_engines.tuned.game import GAME, TunedState

__all__ = ["GAME", "TunedState"]
