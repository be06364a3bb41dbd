"""`ab_test/1`: whether entry 0, the candidate, is better than entry 1, the base.

Blocks are played until a sequential test decides or the limit of matches is reached. With three to
five seats, candidate and base in turn take each chair against the same others and seed, and the
candidate scores where its rank is the better one.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pentathlon_engines.seeds import shuffled
from pentathlon_engines.strength.sprt import Sprt, SprtDecision
from pentathlon_engines.tournament.formats.interface import (
    PAIR,
    FieldEntry,
    Format,
    Over,
    Parameter,
    Plan,
    PlannedBlock,
    PlayedBlock,
    Problem,
    Seatings,
    Size,
    Step,
    Wait,
    are_complete,
    make_batch,
    matches_per_block,
    seatings_of,
)
from pentathlon_engines.tournament.formats.parameters import (
    check_entries,
    check_params,
    check_seats,
)

_ERROR: Final = {"type": "number", "minimum": 0.001, "maximum": 0.25}
_USUAL_MATCHES: Final = 520
"""The number measured at both hypotheses, with two seats; `bench ratings` has the figure."""
_REMARKS: Final = {
    SprtDecision.BETTER: "accepted",
    SprtDecision.NOT_BETTER: "rejected",
    SprtDecision.UNDECIDED: "undecided",
}


class SprtReading(NamedTuple):
    """The state of a test after the blocks so far."""

    decision: SprtDecision
    counts: tuple[int, ...]
    """The number of blocks for each score of the candidate, up to the decision."""


class AbTest(Format):
    """As many blocks as the next look needs, then the look."""

    name = "ab_test/1"
    title = "A/B test"
    text = (
        "Is the first entry better than the second? Blocks with swapped seats and the same seed "
        "are played until a sequential test decides or the most matches are reached. The test "
        "decides the places; it counts whole blocks only, and ends when a bot leaves it."
    )
    parameters = {
        "null": Parameter(
            default=0.5,
            schema={"type": "number", "minimum": 0.05, "maximum": 0.95},
            text="The mean score at which the candidate is not better.",
        ),
        "alternative": Parameter(
            default=0.55,
            schema={"type": "number", "minimum": 0.05, "maximum": 0.95},
            text="The mean score at which the candidate is better; more than `null`.",
        ),
        "alpha": Parameter(
            default=0.05,
            schema=_ERROR,
            text="How often a candidate that is not better may be accepted.",
        ),
        "beta": Parameter(
            default=0.05,
            schema=_ERROR,
            text="How often a candidate that is better may be rejected.",
        ),
        "matches": Parameter(
            default=2_080,
            schema={"type": "integer", "minimum": 40, "maximum": 50_000},
            text="The test ends undecided after this many matches.",
            repeats_from=40,
        ),
    }

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong; two bots test each other, and larger tables need others."""
        problems = check_params(self.parameters, plan) + check_seats(plan)
        if not problems:
            problems = self._problems_of_test(plan, entries)
        if plan.seats == PAIR:
            return problems + check_entries(entries, fewest=PAIR, most=PAIR)
        return problems + check_entries(entries, fewest=plan.seats + 1)

    def _problems_of_test(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong with parameters that are each right but do not fit together."""
        problems = []
        null = self.param(plan, "null")
        if null >= self.param(plan, "alternative"):
            problems.append(
                Problem.of_param(
                    "alternative",
                    f"The alternative must be more than null, which is {null}.",
                    {"exclusiveMinimum": null},
                )
            )
        fewest = self.size(plan, entries).fewest
        if self.param(plan, "matches") < fewest:
            problems.append(
                Problem.of_param(
                    "matches",
                    f"The first look needs {fewest} matches at tables of {plan.seats}.",
                    {"minimum": fewest},
                )
            )
        return problems

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches up to the first look, usually, and at most."""
        per_block = matches_per_block(plan.seats)
        fewest = self._test(plan).first_look * per_block
        most = max(fewest, self.param(plan, "matches") // per_block * per_block)
        return Size(fewest, min(max(fewest, _USUAL_MATCHES), most), most)

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return the blocks up to the next look, or what the test has found."""
        if not are_complete(played):
            return Wait()
        reading = self.read(plan, entries, played)
        left = self.size(plan, len(entries)).most // matches_per_block(plan.seats) - len(played)
        others = [entry.number for entry in entries[PAIR:] if entry.is_active]
        can_play = (
            all(entry.is_active for entry in entries[:PAIR]) and len(others) >= plan.seats - PAIR
        )
        if reading.decision != SprtDecision.UNDECIDED or left <= 0 or not can_play:
            return self._end(entries, reading.decision)
        count = min(left, self._until_look(plan, sum(reading.counts)))
        number = played[-1].round + 1 if played else 1
        versions = (entries[0].number, entries[1].number)
        return make_batch(
            [
                PlannedBlock(number, _seat(versions, others, plan, len(played) + place))
                for place in range(count)
            ]
        )

    def read(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Iterable[PlayedBlock]
    ) -> SprtReading:
        """Return the state of the test; blocks that were not played whole do not count."""
        cells = [
            _cell(block, entries[0].number)
            for block in played
            if block.counts and not block.forfeits
        ]
        decision, counts = self._test(plan).run(cells, matches=plan.seats)
        return SprtReading(decision, tuple(counts))

    def _test(self, plan: Plan) -> Sprt:
        names = ("null", "alternative", "alpha", "beta")
        return Sprt(**{name: self.param(plan, name) for name in names})

    def _until_look(self, plan: Plan, counted: int) -> int:
        test = self._test(plan)
        return next(more for more in range(1, test.first_look + 1) if test.is_look(counted + more))

    def _end(self, entries: Sequence[FieldEntry], decision: SprtDecision) -> Over:
        candidate, base, *others = (entry.number for entry in entries)
        first = [(candidate,), (base,)] if decision == SprtDecision.BETTER else [(candidate, base)]
        return Over((*first, *([tuple(others)] if others else [])), _REMARKS[decision])


def _seat(versions: tuple[int, int], others: Sequence[int], plan: Plan, block: int) -> Seatings:
    """Return the matches of a block: chair by chair, the candidate and then the base."""
    if plan.seats == PAIR:
        return seatings_of(versions)
    beside = plan.seats - 1
    in_a_pass = len(others) // beside
    number, place = divmod(block, in_a_pass)
    company = shuffled(others, plan.key, "company", number)[place * beside :][:beside]
    return tuple(
        (*company[:chair], version, *company[chair:])
        for chair in range(plan.seats)
        for version in versions
    )


def _cell(block: PlayedBlock, candidate: int) -> int:
    """Return the half points of the candidate against the base, chair by chair.

    If both of a pair end without rank 0, both were at fault: the candidate has lost, not drawn.
    """
    is_pair = len(block.seatings[0]) == PAIR
    return sum(
        (mine < theirs) + (mine <= theirs and not (is_pair and 0 < mine == theirs))
        for mine, theirs in _rank_pairs(block, candidate)
    )


def _rank_pairs(block: PlayedBlock, candidate: int) -> Iterator[tuple[int, int]]:
    """Yield the ranks of candidate and base, chair by chair."""
    ranks = [match for match in block.ranks or () if match is not None]
    if len(block.seatings[0]) == PAIR:
        for seating, (first, second) in zip(block.seatings, ranks, strict=True):
            yield (first, second) if seating[0] == candidate else (second, first)
        return
    for chair, (mine, theirs) in enumerate(zip(ranks[::2], ranks[1::2], strict=True)):
        yield mine[chair], theirs[chair]
