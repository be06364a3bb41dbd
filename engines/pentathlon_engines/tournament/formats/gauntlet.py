"""`gauntlet/1`: some bots, the challengers, meet all others, but not each other."""

from collections.abc import Sequence
from functools import lru_cache

from pentathlon_engines.seeds import shuffled
from pentathlon_engines.tournament.formats.fixed_schedule import FixedFormat, FixedSchedule
from pentathlon_engines.tournament.formats.interface import (
    AS_PLAYED,
    CANCEL,
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
)
from pentathlon_engines.tournament.formats.parameters import (
    SAME_AUTHOR,
    check_entries,
    check_params,
    check_seats,
)


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
