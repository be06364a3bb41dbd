"""The cost of a match by part, as numbers that add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

PARTS = (
    "bot starts",
    "turns",
    "engine",
    "re-simulation",
    "queue",
    "claim",
    "rows",
    "replay",
    "accept",
)
"""The parts in the order of the report; `accept` excludes re-simulation, rows and replay."""
OWN_PARTS = ("queue", "claim", "rows", "replay", "accept")
"""The parts that a platform adds to a match played at home."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """CPU milliseconds of one match of a game, and the ratios of the budgets."""

    game: str
    matches: int
    parts_ms: dict[str, float]
    """The cost of each of `PARTS`, measured alone."""
    whole_ms: float
    """The cost of a whole match through queue, sandbox, rows and replay."""
    matches_per_s: float
    """Matches per second of wall-clock time, on one core."""
    turn_over_raw: float
    """The ratio of one turn to one bare round trip through the same pipes."""
    sandbox_over_plain: float
    """The ratio of starting and ending the bots in the sandbox to doing so without it."""
    plies: Sequence[int]
    replay_bytes: Sequence[int]

    @property
    def sum_ms(self) -> float:
        """All parts together."""
        return sum(self.parts_ms.values())

    @property
    def efficiency(self) -> float:
        """The share of the whole that its parts explain."""
        return self.sum_ms / self.whole_ms

    @property
    def own_share(self) -> float:
        """The share of queue and rows in the whole."""
        return sum(self.parts_ms[name] for name in OWN_PARTS) / self.whole_ms

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return all figures by name."""
        return {
            "game": self.game,
            "matches": self.matches,
            "parts_ms": {name: round(self.parts_ms[name], 3) for name in PARTS},
            "sum_ms": round(self.sum_ms, 3),
            "whole_ms": round(self.whole_ms, 3),
            "efficiency": round(self.efficiency, 3),
            "queue_and_rows": round(self.own_share, 3),
            "matches_per_s": round(self.matches_per_s, 2),
            "turn_over_raw": round(self.turn_over_raw, 2),
            "sandbox_over_plain": round(self.sandbox_over_plain, 2),
            "plies_median": median(self.plies),
            "replay_bytes_median": median(self.replay_bytes),
        }
