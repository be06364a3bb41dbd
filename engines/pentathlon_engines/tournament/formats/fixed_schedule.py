"""Formats whose schedule is known from the start, whatever the results, and their next batch."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from pentathlon_engines.tournament.formats.interface import (
    FieldEntry,
    Format,
    Group,
    Over,
    Plan,
    PlannedBlock,
    PlayedBlock,
    Step,
    make_batch,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedSchedule:
    """All rounds of a schedule, drawn when they are asked for."""

    draw_round: Callable[[int], Iterable[PlannedBlock]]
    """Draws the blocks of a round, given its number, from 1."""
    count: int
    """The number of rounds."""
    are_paired: Callable[[Group], bool] = lambda _: True
    """Whether these bots may meet."""

    def round(self, number: int) -> Iterator[PlannedBlock]:
        """Yield the blocks of a round if nobody left."""
        blocks = self.draw_round(number)
        return (block for block in blocks if self.are_paired(block.seatings[0]))

    def blocks(self) -> Iterator[PlannedBlock]:
        """Yield all blocks if nobody left."""
        for number in range(1, self.count + 1):
            yield from self.round(number)


def next_of_fixed(
    schedule: FixedSchedule, *, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
) -> Step:
    """Return the next blocks of one round, counted from 1.

    The next blocks follow the last block that was made. Blocks of a bot that has left are left
    out. Once a bot has returned, the next blocks are the first ones that were never made, so the
    ones left out before come first.
    """
    gone = {entry.number for entry in entries if not entry.is_active}
    has_returned = any(entry.has_returned for entry in entries)
    unmade = _never_made(played) if has_returned else _after_the_last(played)
    start = 1 if has_returned or not played else played[-1].round
    for number in range(start, schedule.count + 1):
        blocks = [
            block
            for block in unmade(number, schedule.round(number))
            if gone.isdisjoint(block.seatings[0])
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


class FixedFormat(Format):
    """A format whose schedule is known from the start: each batch is of one round."""

    reads_results = False

    @abstractmethod
    def fixed(self, plan: Plan, entries: Sequence[FieldEntry]) -> FixedSchedule:
        """Return the schedule of this field."""

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return the next blocks of one round; a round of a large field takes several batches."""
        return next_of_fixed(self.fixed(plan, entries), entries=entries, played=played)

    def schedule(self, plan: Plan, entries: Sequence[FieldEntry]) -> Iterator[PlannedBlock]:
        """Yield all blocks if nobody leaves."""
        return self.fixed(plan, entries).blocks()
