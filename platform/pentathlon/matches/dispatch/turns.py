"""Whose turn it is among lanes that share a window."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable

Rank = tuple[bool, float]
"""Whether a lane goes behind all others, and how much it has in flight."""


class Turns:
    """Lanes that wait to be served: lowest rank first, equal ranks in turns by number.

    A turn costs a search among lanes of equal rank, not a look at each lane.
    """

    def __init__(self, lanes: Iterable[int], *, rank: Callable[[int], Rank], last: int) -> None:
        """Start behind the lane that was served `last`."""
        self._rank = rank
        self._last = last
        self._alike: defaultdict[Rank, list[int]] = defaultdict(list)
        for lane in sorted(lanes):
            self._alike[rank(lane)].append(lane)

    def __bool__(self) -> bool:
        """Whether any lane waits."""
        return bool(self._alike)

    def in_order(self) -> list[int]:
        """Return all lanes in the order of their turns, if none is put back."""
        order: list[int] = []
        last = self._last
        for rank in sorted(self._alike):
            alike = self._alike[rank]
            behind = bisect_right(alike, last)
            order += alike[behind:] + alike[:behind]
            last = order[-1]
        return order

    def take(self) -> int:
        """Take out the lane whose turn it is."""
        rank = min(self._alike)
        alike = self._alike[rank]
        behind = bisect_right(alike, self._last)
        self._last = alike.pop(behind if behind < len(alike) else 0)
        if not alike:
            del self._alike[rank]
        return self._last

    def put_back(self, lane: int) -> None:
        """Let a lane that was served wait again, by the rank it has now."""
        insort(self._alike[self._rank(lane)], lane)
