"""Phases, modes and numbers of Tash-Kalar; squares are in `board.py`, cards in `cards/`."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.board import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PHASES: Final = (
    "draw",
    "deal",
    "setup",
    "main",
    "place_at",
    "shortage",
    "return",
    "turn_end",
    "effect",
    "shuffle",
    "over",
)
DRAWING: Final = 0
DEALING: Final = 1
SETTING_UP: Final = 2
MAIN: Final = 3
PLACING: Final = 4
SHORTAGE: Final = 5
RETURNING: Final = 6
TURN_END: Final = 7
RESOLVING: Final = 8
SHUFFLING: Final = 9
OVER: Final = 10

MODES: Final = ("high_form", "deathmatch_duel")
HIGH_FORM: Final = 0
DEATHMATCH: Final = 1
REASONS: Final = ("deck", "points", "cap")
BY_DECK: Final = 0
BY_POINTS: Final = 1
BY_CAP: Final = 2

TWO_SIDED: Final[tuple[int, ...]] = tuple(RULES["supply"][mode]["common_heroic"] for mode in MODES)
LEGENDARIES: Final[tuple[int, ...]] = tuple(RULES["supply"][mode]["legendary"] for mode in MODES)
HAND_BEINGS: Final[int] = RULES["hand"]["beings"]
HAND_LEGENDS: Final[int] = RULES["hand"]["legends"]
FIRST_ACTIONS: Final[int] = RULES["actions"]["first"]
TURN_ACTIONS: Final[int] = RULES["actions"]["turn"]
RANKS_EACH: Final = 3
GOALS: Final[tuple[int, ...]] = tuple(RULES["goal"][mode] for mode in MODES)
FINAL_TURNS: Final[int] = RULES["final_turns"]
TURN_CAP: Final[int] = RULES["turn_cap"]
PENDING_POINTS: Final = 2
"""The points that a pending being costs (18.3)."""
