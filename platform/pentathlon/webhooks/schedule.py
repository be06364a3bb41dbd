"""The schedule of retries, and of pauses of failing endpoints. Pure."""

from __future__ import annotations

import random
from typing import Final

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
RETRIES_S: Final = (
    *(5.0, 30.0, 2 * _MINUTE, 10 * _MINUTE, 30 * _MINUTE),
    *(_HOUR, 2 * _HOUR, 4 * _HOUR, 8 * _HOUR, 12 * _HOUR, 20 * _HOUR, 24 * _HOUR),
)
"""The pause after each failed attempt, 72 hours in all; then there are no further attempts."""
JITTER: Final = 0.2
"""Pauses are longer by up to this share, so that not all deliveries are tried again at once."""
LONGEST_PAUSE_S: Final = 10 * _MINUTE
"""How long a failing endpoint is left alone at most, whatever else waits for it."""
DISABLED_AFTER_S: Final = 5 * _DAY
"""An endpoint is disabled once all attempts have failed for this long."""
RETENTION_S: Final = 30 * _DAY
"""How long deliveries are kept."""
ROTATION_S: Final = _DAY
"""How long the previous secret still signs."""


def retry_after_s(failed: int, *, luck: random.Random) -> float | None:
    """Return the pause after so many failed attempts; None if it is given up."""
    if failed > len(RETRIES_S):
        return None
    return RETRIES_S[failed - 1] * (1 + JITTER * luck.random())


def pause_s(failures: int) -> float:
    """Return how long to leave an endpoint alone after so many failures in a row."""
    return min(RETRIES_S[0] * 2.0 ** min(failures - 1, 20), LONGEST_PAUSE_S)
