"""Maatatahay: two tribes place warriors among crystals, shrines and the fallen."""

from pentathlon_engines.maatatahay.game import GAME, MaatatahayState

__all__ = ["GAME", "MaatatahayState"]
