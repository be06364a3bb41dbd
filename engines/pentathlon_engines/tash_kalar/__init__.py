"""Tash-Kalar: two schools summon beings where their pieces form patterns."""

from pentathlon_engines.tash_kalar.game import GAME, TashKalarState

__all__ = ["GAME", "TashKalarState"]
