"""The pace of ladders: as fast as the workers can while ratings are uncertain.

Once ratings are certain, a ladder settles: it plays in slots that nobody else wants, up to a limit
an hour if one is set.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

AHEAD_PER_SLOT: Final = 3
"""How many matches of ladders may wait or run for each slot that is alive."""
AHEAD_FOR_NEWCOMERS: Final = 6
"""The same for newcomers, beside what waits of others."""
AHEAD_OF_AN_AUTHOR: Final = 2
"""How many of those count for one author: so many uploads of one leave room for another's."""
LOOK_AGAIN: Final = timedelta(seconds=2)
"""The pause after a look that found nothing to pair."""
LEAST_AN_HOUR: Final = 12.0
"""Matches an hour that a settled division without a limit gets, whatever others want to play."""
_NEVER: Final = timedelta(days=365)


def rest(*, matches: int, an_hour: float | None) -> timedelta:
    """Return after how long a settled division is due again, when it has made so many matches.

    With a limit (`an_hour`), the division rests until then; without one, it plays earlier in idle
    slots.
    """
    if an_hour is None:
        an_hour = LEAST_AN_HOUR
    return timedelta(hours=matches / an_hour) if an_hour > 0 else _NEVER


def longest_lead(an_hour: float | None) -> timedelta:
    """Return how far ahead of a clock that was set back a division may be due.

    With a limit as long as one match makes it rest: looking too early costs a few matches more
    than it allows. Without one it costs nothing, and a division that is not settled must not
    stand still meanwhile.
    """
    return LOOK_AGAIN if an_hour is None else rest(matches=1, an_hour=an_hour)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """How many matches of ladders wait or run, and how many may."""

    slots: int
    others: int
    """Matches for no newcomer: they are played last of all, so they may wait for long."""
    newcomers: int
    """Matches for newcomers; only so many of them count for one author."""

    @classmethod
    def of(cls, unfinished: Iterable[int | None], *, slots: int) -> Ahead:
        """Count unfinished matches, told by the authors for whose newcomers they are."""
        authors = Counter(unfinished)
        others = authors.pop(None, 0)
        most = AHEAD_OF_AN_AUTHOR * slots
        newcomers = sum(min(most, count) for count in authors.values())
        return cls(slots=slots, others=others, newcomers=newcomers)

    def room(self, made: int) -> int:
        """Return how many matches may be made for anybody, after so many have been made."""
        return AHEAD_PER_SLOT * self.slots - self.others - self.newcomers - made

    def room_for_newcomers(self, made: int) -> int:
        """Return how many may be made in divisions with newcomers, whatever waits of others."""
        return AHEAD_FOR_NEWCOMERS * self.slots - self.newcomers - made
