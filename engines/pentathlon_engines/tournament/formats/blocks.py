"""Functions about blocks that formats share: matches, points, and meetings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Final

from pentathlon_engines.tournament.formats.interface import (
    Batch,
    FieldEntry,
    PlannedBlock,
    PlayedBlock,
)

MOST_MATCHES: Final = 1_000
"""The most matches of a batch, which is stored in one transaction."""
PAIR: Final = 2
"""The number of seats at the smallest table."""
MOST_SEATS: Final = 5
WIN: Final = 2
"""The half points for a won match; a draw gives one, a defeat none."""

Group = tuple[int, ...]
"""The entries of one block."""
Seatings = tuple[Group, ...]


def matches_per_block(seats: int) -> int:
    """Return how many matches a block has.

    >>> [matches_per_block(seats) for seats in (2, 3, 5)]
    [2, 6, 10]
    """
    return PAIR if seats == PAIR else 2 * seats


def seatings_of(group: Group) -> Seatings:
    """Seat a group in every rotation of one order and of its mirror image.

    So everybody has every seat equally often, and each bot acts right after any other one as often
    as right before it. Two and three bots sit in every order there is.

    >>> seatings_of((4, 7))
    ((4, 7), (7, 4))
    >>> len(set(seatings_of((1, 2, 3))))
    6
    """
    orders = [group] if len(group) == PAIR else [group, group[::-1]]
    return tuple(order[turn:] + order[:turn] for order in orders for turn in range(len(order)))


def make_blocks(number: int, groups: Iterable[Group]) -> list[PlannedBlock]:
    """Make a block of each group, all in round `number`."""
    return [PlannedBlock(number, seatings_of(group)) for group in groups]


def most_blocks(seats: int) -> int:
    """Return how many blocks one batch may have."""
    return MOST_MATCHES // matches_per_block(seats)


def make_batch(blocks: Sequence[PlannedBlock]) -> Batch:
    """Make a batch of as many of the blocks as one may have."""
    return Batch(tuple(blocks[: most_blocks(len(blocks[0].seatings[0]))]))


def are_complete(played: Iterable[PlayedBlock]) -> bool:
    """Whether all matches of all blocks have ended."""
    return all(block.is_complete for block in played)


def count_meetings(seatings: Iterable[Seatings]) -> Counter[Group]:
    """Count in how many blocks each pair met, the lower number first."""
    return Counter(
        pair for block in seatings for pair in combinations(sorted(set(block[0])), PAIR)
    )


def count_points(block: PlayedBlock) -> Counter[int]:
    """Return the half points of each bot in a block of two; a match without ranks gives none.

    A block that one bot has left is won by the other one, whatever happened before, so the moment
    of leaving does not matter. What the bot that left had won stays its own.
    """
    points: Counter[int] = Counter(dict.fromkeys(block.seatings[0], 0))
    for seating, ranks in zip(block.seatings, block.ranks or (), strict=False):
        if ranks is None:
            continue
        # A double fault has no rank 0: a defeat for both.
        best = [entry for entry, rank in zip(seating, ranks, strict=True) if rank == 0]
        for entry in best:
            points[entry] += WIN // len(best)
    for seating, ranks in block.forfeited():
        for entry, rank in zip(seating, ranks, strict=True):
            if rank == 0:
                points[entry] = WIN * len(block.seatings)
    return points


def active_numbers(entries: Iterable[FieldEntry]) -> list[int]:
    """Return the numbers of all who still play."""
    return [entry.number for entry in entries if entry.is_active]
