"""How right the time is that a tournament is said to take, on a simulated pace."""

from __future__ import annotations

import heapq
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Final

from pentathlon.tournaments.progress import remaining_s

MATCHES: Final = 2_000
_BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SPREAD: Final = 0.5
"""Of the logarithms of durations: the longest twentieth take five times the shortest."""


def error_of_estimate(seed: int, *, pause_s: float) -> float:
    """Return by which share the estimate after a tenth differs from what the rest takes.

    Some slots play one match after the other; after a twentieth, all of them pause once.
    """
    random = Random(seed)
    slots = random.choice((2, 4, 8, 32))
    mean_s = random.choice((0.3, 2.0, 20.0))
    ends = _ends(random, slots=slots, mean_s=mean_s)
    tenth, pause_at = MATCHES // 10, MATCHES // 20
    shown = [
        _BEGIN + timedelta(seconds=end + (pause_s if number >= pause_at else 0))
        for number, end in enumerate(ends)
    ]
    estimate = remaining_s(shown[:tenth][::-1], left=MATCHES - tenth)
    if estimate is None:
        return 1.0
    truth = ends[-1] - ends[tenth - 1]
    return abs(estimate - truth) / truth


def _ends(random: Random, *, slots: int, mean_s: float) -> list[float]:
    """Return when the matches end, in order."""
    busy = [0.0] * slots
    ends = []
    for _ in range(MATCHES):
        start = heapq.heappop(busy)
        end = start + mean_s * random.lognormvariate(0, _SPREAD)
        heapq.heappush(busy, end)
        ends.append(end)
    return sorted(ends)
