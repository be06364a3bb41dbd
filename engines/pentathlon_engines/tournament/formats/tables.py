"""`tables/2`: everybody meets everybody at tables of three to five."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from pentathlon_engines.seeds import shuffled
from pentathlon_engines.tournament.formats.designs import choose_base_groups, has_all_groups
from pentathlon_engines.tournament.formats.fixed_schedule import FixedFormat, FixedSchedule
from pentathlon_engines.tournament.formats.interface import (
    AS_PLAYED,
    FORFEIT,
    PAIR,
    FieldEntry,
    Group,
    Parameter,
    Plan,
    PlannedBlock,
    Problem,
    Size,
    make_blocks,
    matches_per_block,
)
from pentathlon_engines.tournament.formats.parameters import (
    check_entries,
    check_params,
    check_seats,
)


class Tables(FixedFormat):
    """All groups of a small field; else groups by which all pairs meet about equally often."""

    name = "tables/2"
    title = "Tables"
    text = (
        "Tables of three to five. Every bot meets every other bot, no two of them more often than "
        "two others by more than one block. A block is every rotation of two mirrored orders of "
        "seats, so everybody has each seat equally often. The strength that fits all results "
        "decides."
    )
    laws = (AS_PLAYED, FORFEIT)
    """Strength decides, so nobody needs as many matches as the others."""
    parameters = {
        "cycles": Parameter(
            default=1,
            schema={"type": "integer", "minimum": 1, "maximum": 20},
            text="How often the field is dealt to tables so that everybody meets everybody.",
            repeats_from=2,
        ),
        "same_author": Parameter(
            default=True,
            schema={"type": "boolean"},
            text=(
                "Whether two bots of one author may share a table. If not, somebody else takes a "
                "chair there: some pairs meet more often than others then, and a few may not meet."
            ),
        ),
    }

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong."""
        return (
            check_params(self.parameters, plan)
            + check_seats(plan, fewest=PAIR + 1)
            + check_entries(entries, fewest=max(plan.seats, PAIR + 1))
        )

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of all blocks, which are known from the start."""
        cycles = self.param(plan, "cycles")
        if has_all_groups(entries, plan.seats):
            blocks = comb(entries, plan.seats) * cycles
        else:
            blocks = len(choose_base_groups(entries, plan.seats, cycles)) * entries
        matches = blocks * matches_per_block(plan.seats)
        is_exact = self.param(plan, "same_author")
        return Size(matches if is_exact else 0, matches, matches)

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return strength, which knows who sat at the table."""
        return ("fit",)

    def fixed(self, plan: Plan, entries: Sequence[FieldEntry]) -> FixedSchedule:
        cycles = self.param(plan, "cycles")
        numbers = [entry.number for entry in entries]
        has_all = has_all_groups(len(numbers), plan.seats)
        count = cycles if has_all else len(choose_base_groups(len(numbers), plan.seats, cycles))
        authors = {entry.number: entry.author for entry in entries}
        is_free = self.param(plan, "same_author")

        def rounds(number: int) -> Iterator[PlannedBlock]:
            groups: Sequence[Group]
            about = (plan.seats, cycles, plan.key)
            if has_all:
                drawn = _all_groups(numbers, *about, number - 1)
                groups = [each for each in drawn if is_free or not _has_two_of_one(each, authors)]
            elif is_free:
                groups = _turned_groups(numbers, *about, number - 1)
            else:
                of_all = tuple(authors.values())
                groups = _separate_rounds(tuple(numbers), *about, of_all)[number - 1]
            # Turning alone would let every bot always follow the same one.
            seated = (
                tuple(shuffled(group, plan.key, "seats", number, *group)) for group in groups
            )
            yield from make_blocks(number, seated)

        return FixedSchedule(draw_round=rounds, count=count)


@lru_cache(maxsize=4)
def _separate_rounds(
    numbers: Group, seats: int, cycles: int, key: bytes, authors: tuple[str, ...]
) -> list[list[Group]]:
    """Return all rounds without two bots of one author at a table; cached for later batches."""
    count = len(choose_base_groups(len(numbers), seats, cycles))
    rounds = [_turned_groups(numbers, seats, cycles, key, index) for index in range(count)]
    author_of = dict(zip(numbers, authors, strict=True))
    in_turn = shuffled(numbers, key, "circle")
    return _separate_groups(rounds, {number: author_of[number] for number in in_turn})


def _all_groups(
    numbers: Sequence[int], seats: int, _cycles: int, key: bytes, round_index: int
) -> list[Group]:
    """Return the groups of a round, which is a whole cycle: all groups in a drawn order."""
    return shuffled(combinations(numbers, seats), key, "groups", round_index)


def _turned_groups(
    numbers: Sequence[int], seats: int, cycles: int, key: bytes, round_index: int
) -> list[Group]:
    """Return the groups of a round: one base group, turned around the circle in a drawn order."""
    base = choose_base_groups(len(numbers), seats, cycles)[round_index]
    circle = shuffled(numbers, key, "circle")
    turns = shuffled(range(len(numbers)), key, "turns", round_index)
    return [tuple(circle[(place + turn) % len(circle)] for place in base) for turn in turns]


def _has_two_of_one(group: Group, authors: Mapping[int, str]) -> bool:
    """Return whether an author has several bots in a group."""
    return len({authors[bot] for bot in group}) < len(group)


def _separate_groups(
    rounds: Sequence[Sequence[Group]], authors: Mapping[int, str]
) -> list[list[Group]]:
    """Return rounds of groups in which no author has several bots.

    Where one has, another bot takes a chair: the one that has met the others there least so far,
    then the one that has played least, then the first in `authors`, which should be in a drawn
    order. A group that nobody can join is left out.
    """
    met = {bot: dict.fromkeys(authors, 0) for bot in authors}
    played = dict.fromkeys(authors, 0)
    separated = []
    for groups in rounds:
        seated = []
        for group in groups:
            chosen = _fill(_one_of_each(group, authors), len(group), authors, met, played)
            if len(chosen) < len(group):
                continue
            seated.append(tuple(chosen))
            for bot in chosen:
                played[bot] += 1
                for other in chosen:
                    met[bot][other] += 1
        separated.append(seated)
    return separated


def _one_of_each(group: Group, authors: Mapping[int, str]) -> list[int]:
    first_of = {authors[bot]: bot for bot in reversed(group)}
    return [bot for bot in group if first_of[authors[bot]] == bot]


def _fill(
    chosen: list[int],
    seats: int,
    authors: Mapping[int, str],
    met: Mapping[int, Mapping[int, int]],
    played: Mapping[int, int],
) -> list[int]:
    """Return a group with its empty chairs taken, as far as there are bots that may take them."""
    while len(chosen) < seats:
        taken = {authors[bot] for bot in chosen}
        free = [bot for bot in authors if authors[bot] not in taken]
        if not free:
            break
        rank = {bot: (sum(met[bot][each] for each in chosen), played[bot]) for bot in free}
        chosen = [*chosen, min(free, key=rank.__getitem__)]
    return chosen
