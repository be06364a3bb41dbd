"""The pace of ladders: as fast as the workers can while ratings are uncertain.

Once ratings are certain, a ladder settles: it plays in slots that nobody else wants, up to a limit
an hour if one is set.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

AHEAD_PER_SLOT: Final = 3
"""How many matches of ladders may wait or run for each slot that is alive."""
AHEAD_FOR_NEWCOMERS: Final = 6
"""The same for divisions in which versions have hardly played."""
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
