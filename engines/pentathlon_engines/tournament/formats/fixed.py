"""The next batch of a schedule that is known from the start, whatever the results."""

from __future__ import annotations

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

    It goes on after the last block that was made. Blocks of a bot that has left are left out, and
    so are those that `are_paired` refuses.
    """
    gone = {entry.number for entry in entries if not entry.is_active}
    start = played[-1].round if played else 1
    # From the end, as all blocks before the last round need not be read.
    made = list(takewhile(lambda block: block.round == start, reversed(played)))[::-1]
    for number in range(start, count + 1):
        blocks = [
            block
            for block in _skip(rounds(number), made)
            if gone.isdisjoint(block.seatings[0]) and are_paired(block.seatings[0])
        ]
        if blocks:
            return make_batch(blocks)
        made = []
    return Over()


def _skip(planned: Iterable[PlannedBlock], made: Sequence[PlayedBlock]) -> Iterator[PlannedBlock]:
    """Yield what comes after the last block made; some before it may never have been made."""
    done = 0
    for block in planned:
        if done == len(made):
            yield block
        elif block.seatings == made[done].seatings:
            done += 1
