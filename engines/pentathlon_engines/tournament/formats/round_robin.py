"""`round_robin/2`: everybody meets everybody, in both seats and with one seed."""

from collections.abc import Sequence

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
from pentathlon_engines.tournament.schedule import count_pair_rounds, pair_round


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
