"""A match to be scheduled, as a value."""

from __future__ import annotations

from dataclasses import dataclass, field

from pentathlon.matches.jobs import Options
from pentathlon.matches.models import MatchKind


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSpec:
    """One match to be scheduled."""

    kind: MatchKind
    game: str
    seating: tuple[int, ...]
    """Ids of the bot versions, by seat."""
    seed: int
    alias: str = ""
    """What bots are told the match is called; empty: drawn."""
    options: Options = field(default_factory=dict)
    limits: dict[str, float | int] = field(default_factory=dict)
    """Fields of `Limits` that differ from the defaults."""
    rated: bool = False
    lane: int = 0
    """Lanes take turns: the number of the tournament."""
    reserved_for: int | None = None
    """The party of workers that alone may play it; None: all."""
