"""Divisions of a ladder: how a field is cut, where a newcomer starts, and who moves at the close.

A ladder has one division up to 59 bots. A larger one is cut into divisions of at most 60, all of
about the same size. At the close of a season, the first fifth of a table moves up by one division.
Bots that would have been first or second there, too, move up further, so a strong newcomer is soon
at the top even among 10,000 bots. Across every border, as many bots move down by one division as
come up: the last ones of the table.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeVar

MOST_BOTS: Final = 60
"""The most bots in one division."""
MOVING_PART: Final = 5
"""One in this many bots moves up."""
_GOES_ON: Final = 2
"""A bot that would have had this place or a better one in the next division goes on to the one
above."""

Bot = TypeVar("Bot")


def count_divisions(bots: int) -> int:
    """Return how many divisions a field has.

    >>> [count_divisions(bots) for bots in (0, 59, 60, 119, 120)]
    [1, 1, 2, 2, 3]
    """
    return bots // MOST_BOTS + 1


def cut_field(order: Sequence[Bot]) -> list[list[Bot]]:
    """Cut a field, the best first, into divisions whose sizes differ by one at most.

    >>> [len(division) for division in cut_field(range(61))]
    [30, 31]
    """
    count = count_divisions(len(order))
    ends = [len(order) * number // count for number in range(count + 1)]
    return [list(order[start:end]) for start, end in pairwise(ends)]


def add_newcomer(divisions: Sequence[Sequence[Bot]], newcomer: Bot) -> list[list[Bot]]:
    """Return the divisions with a newcomer at the end of the lowest one, during a season.

    Each division is in the order of its table. If the lowest one is full, it is cut in halves, so
    everybody has company; the divisions above stay as they are.
    """
    *upper, lowest = divisions or [[]]
    return [list(division) for division in upper] + cut_field([*lowest, newcomer])


def close_season(tables: Sequence[Sequence[tuple[Bot, float]]]) -> list[list[Bot]]:
    """Return the divisions of the next season by the tables of this one: bots and strengths.

    The best come first, equal ones in the order of their lots. Bots that have left are not in the
    tables. All divisions are made equal
    again: across every border as many bots move down as come up, the last ones of a table.
    """
    marks = [table[_GOES_ON - 1][1] if len(table) >= _GOES_ON else -math.inf for table in tables]
    targets = [
        [_target(number, strength, marks) for _, strength in table[: len(table) // MOVING_PART]]
        for number, table in enumerate(tables)
    ]
    comers = _count_comers(targets)
    moved = []
    for number, table in enumerate(tables):
        up = targets[number]
        down = min(comers[number], len(table) - len(up))
        stay = len(table) - len(up) - down
        wanted = [*up, *[number] * stay, *[number + 1] * down]
        for place, ((bot, _), target) in enumerate(zip(table, wanted, strict=True)):
            moved.append((target, _rank_among(number, target), place, number, bot))
    moved.sort(key=lambda each: each[:-1])
    return cut_field([each[-1] for each in moved])


def _target(number: int, strength: float, marks: Sequence[float]) -> int:
    """Return the division to which a bot that moves up goes."""
    above = max(0, number - 1)
    while above and strength > marks[above]:
        above -= 1
    return above


def _count_comers(targets: Sequence[Sequence[int]]) -> list[int]:
    """Return how many bots come up across the lower border of each division."""
    comers = [0] * len(targets)
    for number, wanted in enumerate(targets):
        for target in wanted:
            for border in range(target, number):
                comers[border] += 1
    return comers


def _rank_among(number: int, target: int) -> int:
    """Return a sort key: bots from above come first, then those who stay, then bots from below."""
    return (number > target) - (number < target)
