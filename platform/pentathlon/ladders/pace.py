"""How much the ladders play: as fast as the workers can while ratings are uncertain, then slowly.

So a ladder never stands still while somebody can learn from it, and a machine whose ladders have
settled is nearly idle.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

AHEAD_PER_SLOT: Final = 3
"""Matches of ladders that wait or run, for each slot that is alive."""
AHEAD_FOR_NEWCOMERS: Final = 6
"""The same, where versions have hardly played."""
LOOK_AGAIN: Final = timedelta(seconds=2)
"""After a look that found nothing to pair."""
_NEVER: Final = timedelta(days=365)


def rest(*, matches: int, an_hour: float) -> timedelta:
    """Return how long a settled division rests after so many matches."""
    return timedelta(hours=matches / an_hour) if an_hour > 0 else _NEVER
