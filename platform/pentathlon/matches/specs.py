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
    """The ids of the bot versions, by seat."""
    seed: int
    alias: str = ""
    """The name by which bots know the match; drawn if empty."""
    options: Options = field(default_factory=dict)
    limits: dict[str, float | int] = field(default_factory=dict)
    """The fields of `Limits` that differ from the defaults."""
    rated: bool = False
    lane: int = 0
    """The number of its lane; lanes take turns."""
    newcomer_of: int | None = None
    """The id of the author of the new version that it is for; None if it is for no new one."""
    reserved_for: int | None = None
    """The only party of workers that may play it; None for all."""
