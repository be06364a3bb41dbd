"""The next batch of a schedule that is known from the start, whatever the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from pentathlon_engines.tournament.formats.blocks import Group, make_batch
from pentathlon_engines.tournament.formats.interface import (
    FieldEntry,
    Over,
    PlannedBlock,
    PlayedBlock,
    Step,
)


def next_of_fixed(
    rounds: Callable[[int], Iterable[PlannedBlock]],
    *,
    count: int,
    entries: Sequence[FieldEntry],
    played: Sequence[PlayedBlock],
    are_paired: Callable[[Group], bool] = lambda _: True,
) -> Step:
    """Return the next blocks of one round, counted from 1.

    The next blocks follow the last block that was made. Blocks of a bot that has left are left
    out, and so are those that `are_paired` refuses. Once a bot has returned, the next blocks are
    the first ones that were never made, so the ones left out before come first.
    """
    gone = {entry.number for entry in entries if not entry.is_active}
    has_returned = any(entry.has_returned for entry in entries)
    unmade = _never_made(played) if has_returned else _after_the_last(played)
    start = 1 if has_returned or not played else played[-1].round
    for number in range(start, count + 1):
        blocks = [
            block
            for block in unmade(number, rounds(number))
            if gone.isdisjoint(block.seatings[0]) and are_paired(block.seatings[0])
        ]
        if blocks:
            return make_batch(blocks)
    return Over()


_Unmade = Callable[[int, Iterable[PlannedBlock]], Iterator[PlannedBlock]]
"""Yields the blocks of a round that come next, given its number and all its blocks."""


def _after_the_last(played: Sequence[PlayedBlock]) -> _Unmade:
    start = played[-1].round if played else 1
    # Read from the end, so that no block before the last round has to be read.
    made = list(takewhile(lambda block: block.round == start, reversed(played)))[::-1]
    return lambda number, planned: _skip(planned, made if number == start else ())


def _never_made(played: Sequence[PlayedBlock]) -> _Unmade:
    made = Counter((block.round, block.seatings) for block in played)

    def unmade(number: int, planned: Iterable[PlannedBlock]) -> Iterator[PlannedBlock]:
        left = {seatings: count for (place, seatings), count in made.items() if place == number}
        for block in planned:
            if not left.get(block.seatings):
                yield block
            else:
                left[block.seatings] -= 1

    return unmade


def _skip(planned: Iterable[PlannedBlock], made: Sequence[PlayedBlock]) -> Iterator[PlannedBlock]:
    """Yield the blocks after the last one made; some before that may never have been made."""
    done = 0
    for block in planned:
        if done == len(made):
            yield block
        elif block.seatings == made[done].seatings:
            done += 1
