"""Chooses the groups of tables of three to five so that all pairs meet about equally often.

A base group is a set of places on a circle of all bots. Turning it once around the circle gives
a block for each bot, seats everybody equally often, and lets two bots meet as often as their
distance occurs in it. So we need base groups in which all distances occur about equally often.
Random exchanges of one place find them within milliseconds.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, count
from math import ceil, comb
from typing import Final

from pentathlon_engines.seeds import draw_many
from pentathlon_engines.tournament.formats.interface import Group

MOST_GROUPS: Final = 60
"""If there are at most this many groups, a cycle has all of them; else about as many or more."""

_KEY: Final = bytes(32)
"""A fixed key: a design depends on numbers alone. The event key decides who has which place."""
_TRIES = 4
_EXCHANGES = 4_000
"""The most exchanges of one search. A search that succeeds needs 1 to 3,900 of them (6 to 40, 60,
100 and 200 bots were tried)."""


def has_all_groups(entries: int, seats: int) -> bool:
    """Whether the field is so small that all groups meet."""
    return comb(entries, seats) <= MOST_GROUPS


@lru_cache(maxsize=64)
def choose_base_groups(entries: int, seats: int, cycles: int) -> tuple[Group, ...]:
    """Return few base groups by which all pairs meet, in counts that differ by at most a block."""
    for_pairs = ceil(cycles * (entries - 1) / (seats * (seats - 1)))
    fewest = max(for_pairs, ceil(MOST_GROUPS / entries) * cycles)
    random = draw_many(_KEY, "design", entries, seats, cycles)
    # More groups make it easier, so this ends: with two more at most, in all fields tried.
    for families in count(fewest):
        for _ in range(_TRIES):
            search = _Search(entries, seats, families, random)
            if search.run():
                return tuple(map(tuple, search.groups))
    raise AssertionError  # `count` never ends


class _Search:
    """A walk over base groups that never makes meetings less even."""

    def __init__(self, entries: int, seats: int, families: int, random: Iterator[int]) -> None:
        self.entries = entries
        self.random = random
        half = entries // 2
        # Opposite bots meet twice in a turn, and there are half as many pairs of them.
        self.meetings_of = [1] * (half + 1)
        self.pairs_of = [2] * (half + 1)
        if entries % 2 == 0:
            self.meetings_of[half] = 2
            self.pairs_of[half] = 1
        self.meetings = [0] * (half + 1)
        """How often two bots meet, by their distance on the circle."""
        # A negative difference indexes from the end, which is right for a circle.
        self.distances = [min(apart, entries - apart) for apart in range(entries)]
        self.groups = [self._random_group(seats) for _ in range(families)]
        for group in self.groups:
            for first, second in combinations(group, 2):
                distance = self.distances[first - second]
                self.meetings[distance] += self.meetings_of[distance]

    def run(self) -> bool:
        """Exchange places until all pairs meet, as evenly as can be; return whether they do."""
        is_even = self._is_even()
        for _ in range(_EXCHANGES):
            if is_even:
                break
            is_even = self._exchange() and self._is_even()
        return is_even

    def _random_group(self, seats: int) -> list[int]:
        group = [0]
        while len(group) < seats:
            place = next(self.random) % self.entries
            if place not in group:
                group.append(place)
        return group

    def _is_even(self) -> bool:
        fewest = min(self.meetings[1:])
        return fewest > 0 and max(self.meetings[1:]) <= fewest + 1

    def _exchange(self) -> bool:
        """Put another place into one group, unless meetings become less even; say whether it did.

        A field of 200 takes some 50,000 exchanges, so this is one loop without calls.
        """
        rest, number = divmod(next(self.random), len(self.groups))
        group = self.groups[number]
        rest, which = divmod(rest, len(group))
        new, old = rest % self.entries, group[which]
        if new in group:
            return False
        group[which] = new
        meetings, meetings_of, pairs_of = self.meetings, self.meetings_of, self.pairs_of
        distances = self.distances
        change = 0
        for other in group:
            if other != new:
                distance = distances[old - other]
                step, before = meetings_of[distance], meetings[distance]
                meetings[distance] = before - step
                change += step * (step - 2 * before) * pairs_of[distance]
                distance = distances[new - other]
                step, before = meetings_of[distance], meetings[distance]
                meetings[distance] = before + step
                change += step * (step + 2 * before) * pairs_of[distance]
        if change <= 0:
            return True
        group[which] = old
        for other in group:
            if other != old:
                meetings[distances[new - other]] -= meetings_of[distances[new - other]]
                meetings[distances[old - other]] += meetings_of[distances[old - other]]
        return False
