"""Tash-Kalar: two schools summon beings where their pieces form patterns."""

from pentathlon_engines.tash_kalar.state import TASH_KALAR as GAME
from pentathlon_engines.tash_kalar.state import TashKalarState

__all__ = ["GAME", "TashKalarState"]
