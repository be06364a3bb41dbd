"""Divisions of a ladder: how a field is cut, where a newcomer starts, and who moves at the close.

A ladder has one division up to 59 bots. A larger one is cut into divisions of at most 60, all of
about the same size. At the close of a season, the winner of a division moves half the way to the
top, so a strong newcomer is there after eight seasons even among 10,000 bots. The others of the
first fifth move up by one division, and the last fifth moves down by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeVar

MOST_BOTS: Final = 60
"""In one division."""
MOVING_PART: Final = 5
"""One of so many moves up, and as many move down."""

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
    """Return the divisions with a newcomer at the end of the lowest, in the midst of a season.

    Divisions are in the order of their tables. A lowest one that is full is cut in halves, so
    everybody has company; the divisions above stay as they are.
    """
    *upper, lowest = divisions or [[]]
    return [list(division) for division in upper] + cut_field([*lowest, newcomer])


def close_season(tables: Sequence[Sequence[Bot]]) -> list[list[Bot]]:
    """Return the divisions of the next season by the final tables of this one, the best first.

    Whoever has left is not in the tables. As all divisions stay about equal, a few of those next
    to a border may move by one more division.
    """
    moved = [
        (target, _rank_among(number, target), place, number, bot)
        for number, table in enumerate(tables)
        for place, bot in enumerate(table)
        for target in [_target(number, place, len(table), last=len(tables) - 1)]
    ]
    moved.sort(key=lambda each: each[:-1])
    return cut_field([each[-1] for each in moved])


def _target(number: int, place: int, size: int, *, last: int) -> int:
    """Return the division that a place leads to."""
    moving = size // MOVING_PART
    if place == 0:
        return number // 2
    if place < moving:
        return max(0, number - 1)
    return min(last, number + 1) if place >= size - moving else number


def _rank_among(number: int, target: int) -> int:
    """Those who come from above stand before those who stay, and who comes from below is last."""
    return (number > target) - (number < target)
