"""Formats whose schedule is known from the start, whatever the results, and their next batch.

`round_robin/2`: everybody meets everybody, in both seats and with one seed. `gauntlet/1`: some
bots, the challengers, meet all others, but not each other.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from pentathlon_engines.seeds import shuffled
from pentathlon_engines.tournament.formats.interface import (
    AS_PLAYED,
    CANCEL,
    FORFEIT,
    PAIR,
    FieldEntry,
    Format,
    Group,
    Over,
    Parameter,
    Plan,
    PlannedBlock,
    PlayedBlock,
    Problem,
    Size,
    Step,
    make_batch,
    make_blocks,
)
from pentathlon_engines.tournament.formats.parameters import (
    SAME_AUTHOR,
    check_entries,
    check_params,
    check_seats,
)
from pentathlon_engines.tournament.schedule import count_pair_rounds, pair_round


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


class RoundRobin(FixedFormat):
    """Pairs by the circle method, with one round in each batch."""

    name = "round_robin/2"
    title = "Round robin"
    text = (
        "Every bot meets every other bot equally often, in both seats and with the same seed. "
        "Points decide, then the points among each other and Sonneborn–Berger, and at last the "
        "strength that fits all results."
    )
    laws = (CANCEL, FORFEIT, AS_PLAYED)
    """Everybody needs the same opponents, so early leavers' results are cancelled."""
    parameters = {
        "cycles": Parameter(
            default=1,
            schema={"type": "integer", "minimum": 1, "maximum": 100},
            text="How many blocks each pair plays.",
            repeats_from=2,
        ),
        "same_author": SAME_AUTHOR,
    }

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong; new tournaments play larger tables by `tables`."""
        problems = check_params(self.parameters, plan) + check_entries(entries, fewest=PAIR)
        problems += [
            problem._replace(
                sentence="A round robin is for two seats; take the format tables for more."
            )
            for problem in check_seats(plan, most=PAIR)
        ]
        return problems

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of all rounds; fewer if bots of one author do not meet."""
        cycles = self.param(plan, "cycles")
        matches = entries * (entries - 1) * cycles
        is_known = self.param(plan, "same_author")
        return Size(matches if is_known else 0, matches, matches)

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return points first; where some play fewer matches, points per match."""
        meets_own = self.param(plan, "same_author")
        points = "points" if meets_own else "points_per_match"
        return (points, "head_to_head", "sonneborn_berger", "fit")

    def fixed(self, plan: Plan, entries: Sequence[FieldEntry]) -> FixedSchedule:
        cycles = self.param(plan, "cycles")
        numbers = [entry.number for entry in entries]
        authors = {entry.number: entry.author for entry in entries}
        meets_own = self.param(plan, "same_author")

        def draw_round(number: int) -> list[PlannedBlock]:
            groups = pair_round(len(numbers), number - 1, plan.key)
            return make_blocks(number, [_name(group, numbers) for group in groups])

        def are_paired(group: Group) -> bool:
            return meets_own or len({authors[entry] for entry in group}) == len(group)

        return FixedSchedule(
            draw_round=draw_round,
            count=count_pair_rounds(len(numbers), cycles),
            are_paired=are_paired,
        )


def _name(group: Group, numbers: Sequence[int]) -> Group:
    return tuple(numbers[place] for place in group)


class Gauntlet(FixedFormat):
    """Challengers against the field, each opponent once a cycle."""

    name = "gauntlet/1"
    title = "Gauntlet"
    text = (
        "Each challenger meets each other bot equally often, in both seats and with the same "
        "seed. Challengers do not meet each other, nor do the others. Points decide, then points "
        "per match, then the strength that fits all results. Challengers play more matches, so "
        "compare them with the others by points per match."
    )
    laws = (CANCEL, FORFEIT, AS_PLAYED)
    """Challengers need the same opponents, and so do the others: as in a round robin."""
    parameters = {
        "challengers": Parameter(
            default=1,
            schema={
                "type": ["integer", "array"],
                "minimum": 1,
                "items": {"type": "integer", "minimum": 0},
                "minItems": 1,
                "uniqueItems": True,
            },
            text=(
                "How many of the first entries are challengers, or a list of their numbers from 0."
            ),
        ),
        "blocks": Parameter(
            default=2,
            schema={"type": "integer", "minimum": 1, "maximum": 1_000},
            text="How many blocks each challenger plays against each other bot.",
            repeats_from=2,
        ),
        "same_author": SAME_AUTHOR,
    }

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong; somebody must be left to meet."""
        problems = check_params(self.parameters, plan)
        problems += check_seats(plan, most=PAIR) + check_entries(entries, fewest=PAIR)
        if problems:
            return problems
        asked = self.param(plan, "challengers")
        if isinstance(asked, int) and asked >= entries:
            problems.append(
                Problem.of_param(
                    "challengers",
                    f"At most {entries - 1} of {entries} bots can be challengers, not {asked}.",
                    {"maximum": entries - 1},
                )
            )
        if not isinstance(asked, int) and (max(asked) >= entries or len(asked) >= entries):
            problems.append(
                Problem.of_param(
                    "challengers",
                    f"Challengers are numbers of entries, from 0 to {entries - 1}, but not all.",
                    {"maximum": entries - 1, "maxItems": entries - 1},
                )
            )
        return problems

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of all pairs; fewer if bots of one author do not meet."""
        asked = self.param(plan, "challengers")
        challengers = asked if isinstance(asked, int) else len(asked)
        blocks = self.param(plan, "blocks")
        matches = challengers * (entries - challengers) * blocks * PAIR
        is_known = self.param(plan, "same_author")
        return Size(matches if is_known else 0, matches, matches)

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return points first, then those per match, as a challenger plays more than the others.

        Where bots of one author do not meet, challengers differ in matches, too: as in a round
        robin, points per match go first.
        """
        meets_own = self.param(plan, "same_author")
        return ("points", "points_per_match", "fit") if meets_own else ("points_per_match", "fit")

    def fixed(self, plan: Plan, entries: Sequence[FieldEntry]) -> FixedSchedule:
        asked = self.param(plan, "challengers")
        named = range(asked) if isinstance(asked, int) else asked
        challengers = [entry.number for place, entry in enumerate(entries) if place in named]
        others = [entry.number for place, entry in enumerate(entries) if place not in named]
        meets_own = self.param(plan, "same_author")
        authors = {entry.number: entry.author for entry in entries}
        rounds_of_cycle = max(len(challengers), len(others))

        def draw_round(number: int) -> list[PlannedBlock]:
            cycle, turn = divmod(number - 1, rounds_of_cycle)
            return make_blocks(number, _pair(challengers, others, turn, (plan.key, cycle)))

        return FixedSchedule(
            draw_round=draw_round,
            count=rounds_of_cycle * self.param(plan, "blocks"),
            are_paired=lambda pair: meets_own or authors[pair[0]] != authors[pair[1]],
        )


def _pair(
    challengers: Sequence[int], others: Sequence[int], turn: int, draws: tuple[bytes, int]
) -> list[Group]:
    """Pair the shorter row with the longer one, moved on by `turn` places."""
    first, second = _shuffle_sides(tuple(challengers), tuple(others), draws)
    longer = max(len(first), len(second))
    pairs: list[Group] = []
    for place in range(min(len(first), len(second))):
        moved = (place + turn) % longer
        at, beside = (place, moved) if len(first) <= len(second) else (moved, place)
        pair = (first[at], second[beside])
        pairs.append(pair if (turn + place) % 2 else pair[::-1])
    return pairs


@lru_cache(maxsize=16)
def _shuffle_sides(
    challengers: Group, others: Group, draws: tuple[bytes, int]
) -> tuple[Group, Group]:
    """Shuffle both rows for one cycle; cached, because every round of the cycle asks again."""
    key, cycle = draws
    first = tuple(shuffled(challengers, key, "challengers", cycle))
    return first, tuple(shuffled(others, key, "others", cycle))
