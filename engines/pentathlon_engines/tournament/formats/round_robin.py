"""`round_robin/2`: everybody meets everybody, in both seats and with one seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pentathlon_engines.tournament.formats.fixed_schedule import FixedSchedule, next_of_fixed
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
    PlayedBlock,
    Problem,
    Size,
    Step,
    make_blocks,
)
from pentathlon_engines.tournament.formats.parameters import (
    SAME_AUTHOR,
    check_entries,
    check_params,
    check_seats,
    param_of,
)
from pentathlon_engines.tournament.schedule import count_pair_rounds, pair_round

CYCLES: Final = Parameter(
    default=1,
    schema={"type": "integer", "minimum": 1, "maximum": 100},
    text="How many blocks each pair plays.",
    repeats_from=2,
)


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Pairs by the circle method, with one round in each batch."""

    name: str = "round_robin/2"
    title: str = "Round robin"
    text: str = (
        "Every bot meets every other bot equally often, in both seats and with the same seed. "
        "Points decide, then the points among each other and Sonneborn–Berger, and at last the "
        "strength that fits all results."
    )
    reads_results: bool = False
    reads_repeats: bool = False

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Its parameters by name."""
        return {"cycles": CYCLES, "same_author": SAME_AUTHOR}

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
        cycles = param_of(self.parameters, plan, "cycles")
        matches = entries * (entries - 1) * cycles
        is_known = param_of(self.parameters, plan, "same_author")
        return Size(matches if is_known else 0, matches, matches)

    @property
    def laws(self) -> tuple[str, ...]:
        """Everybody needs the same opponents, so early leavers' results are cancelled."""
        return (CANCEL, FORFEIT, AS_PLAYED)

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return points first; where some play fewer matches, points per match."""
        meets_own = param_of(self.parameters, plan, "same_author")
        points = "points" if meets_own else "points_per_match"
        return (points, "head_to_head", "sonneborn_berger", "fit")

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return the next round."""
        return next_of_fixed(self._fixed(plan, entries), entries=entries, played=played)

    def schedule(self, plan: Plan, entries: Sequence[FieldEntry]) -> Iterator[PlannedBlock]:
        """Yield all blocks if nobody leaves."""
        return self._fixed(plan, entries).blocks()

    def _fixed(self, plan: Plan, entries: Sequence[FieldEntry]) -> FixedSchedule:
        cycles = param_of(self.parameters, plan, "cycles")
        numbers = [entry.number for entry in entries]
        authors = {entry.number: entry.author for entry in entries}
        meets_own = param_of(self.parameters, plan, "same_author")

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
