"""`finals/2`: finds out who is the best of a few, with as few matches as that needs.

It starts with a round robin of the best by strength. Then the two bots meet whose result
says most about who is the best (top-two Thompson sampling on the estimate of strengths), until one
is the best with enough probability or the budget is used up. A match that only repeats an earlier
one move by move says nothing new: it counts once, as in the final table. `finals/1` counted it
again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from pentathlon_engines.strength.best import are_separable, chances_of_best, next_pair
from pentathlon_engines.strength.thurstone import Strengths
from pentathlon_engines.tournament.formats.estimates import estimate
from pentathlon_engines.tournament.formats.interface import (
    AS_PLAYED,
    PAIR,
    FieldEntry,
    Over,
    Parameter,
    Plan,
    PlayedBlock,
    Problem,
    Size,
    Step,
    Wait,
    active_numbers,
    are_complete,
    make_batch,
    make_blocks,
)
from pentathlon_engines.tournament.formats.parameters import (
    check_entries,
    check_params,
    check_seats,
    param_of,
)
from pentathlon_engines.tournament.formats.seeding import seed_order
from pentathlon_engines.tournament.schedule import count_pair_rounds, pair_round
from pentathlon_engines.tournament.tie_breaks import Results, order

_FINALISTS: Final = Parameter(
    default=8,
    schema={"type": "integer", "minimum": 2, "maximum": 8},
    text="How many take part, the best by strength; what is unknown is drawn.",
)
_CYCLES: Final = Parameter(
    default=1,
    schema={"type": "integer", "minimum": 1, "maximum": 10},
    text="How many blocks each pair of them plays at first.",
    repeats_from=2,
)
_BLOCKS: Final = Parameter(
    default=300,
    schema={"type": "integer", "minimum": 5, "maximum": 5_000},
    text="The budget: the most blocks in all.",
    repeats_from=5,
)
_CONFIDENCE: Final = Parameter(
    default=0.95,
    schema={"type": "number", "minimum": 0.5, "maximum": 0.999},
    text="It ends when one bot is the best with this probability.",
)
_SAME_AUTHOR: Final = Parameter(
    default=True,
    schema={"type": "boolean"},
    text="Whether two bots of one author may be finalists; if not, only each author's best one.",
)
_BATCH: Final = 4
"""The number of blocks between two estimates."""
_USUAL_MATCHES: Final = 350
"""The mean number measured for eight bots with a wide spread of strengths."""


@dataclass(frozen=True, slots=True)
class Finals:
    """A round robin, then a few blocks at a time, those that tell most."""

    name: str = "finals/2"
    title: str = "Finals"
    text: str = (
        "The best by strength play a round robin. Then the pairs meet whose results say most "
        "about who is the best, until one bot is the best with enough probability or the budget "
        "is used up; then the bots that cannot be told apart share the first place. The estimated "
        "strength decides the other places."
    )
    reads_results: bool = True
    reads_repeats: bool = True

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Its parameters by name."""
        return {
            "finalists": _FINALISTS,
            "cycles": _CYCLES,
            "blocks": _BLOCKS,
            "confidence": _CONFIDENCE,
            "same_author": _SAME_AUTHOR,
        }

    @property
    def laws(self) -> tuple[str, ...]:
        """Strengths decide, so nobody needs as many matches as the others."""
        return (AS_PLAYED,)

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return nothing: the format decides the places."""
        return ()

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong; the budget must reach beyond the round robin."""
        problems = check_params(self.parameters, plan) + check_seats(plan, most=PAIR)
        problems += check_entries(entries, fewest=PAIR)
        if problems:
            return problems
        finalists = min(entries, param_of(self.parameters, plan, "finalists"))
        fewest = self._round_robin(plan, finalists) // PAIR + _BATCH
        if param_of(self.parameters, plan, "blocks") < fewest:
            problems.append(
                Problem(
                    "/params/blocks",
                    "bad_parameter",
                    f"The round robin and one batch after it need {fewest} blocks.",
                    {"minimum": fewest},
                )
            )
        return problems

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of the round robin, usually, and of the whole budget."""
        finalists = min(entries, param_of(self.parameters, plan, "finalists"))
        whole = self._round_robin(plan, finalists)
        most = max(whole, param_of(self.parameters, plan, "blocks") * PAIR)
        expected = min(max(whole, _USUAL_MATCHES), most)
        if not param_of(self.parameters, plan, "same_author"):
            # All bots may be of two authors, or even of one.
            return Size(0, expected, most)
        return Size(whole, expected, most)

    def _round_robin(self, plan: Plan, finalists: int) -> int:
        """Return how many matches come before the first estimate."""
        cycles: int = param_of(self.parameters, plan, "cycles")
        return comb(finalists, PAIR) * cycles * PAIR

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return the round robin, then four blocks at a time, then the places."""
        if not played:
            return self._start(plan, entries)
        if not are_complete(played):
            return Wait()
        players = {bot for block in played for bot in block.seatings[0]}
        finalists = sorted(players.intersection(active_numbers(entries)))
        others = tuple(entry.number for entry in entries if entry.number not in finalists)
        if len(finalists) < PAIR:
            return _end([tuple(finalists)], others, "everybody else has left")
        strengths = estimate(plan, played).only(finalists)
        best = max(chances_of_best(strengths).chances)
        if best >= param_of(self.parameters, plan, "confidence"):
            return _end(_order(strengths), others, f"the best with a probability of {best:.2f}")
        left = param_of(self.parameters, plan, "blocks") - len(played)
        if left <= 0:
            return _end(_order_with_ties(strengths), others, "the budget is used up")
        pairs = [
            next_pair(strengths, key=plan.key, turn=len(played) + place)
            for place in range(min(left, _BATCH))
        ]
        return make_batch(make_blocks(played[-1].round + 1, pairs))

    def _start(self, plan: Plan, entries: Sequence[FieldEntry]) -> Step:
        """Return the round robin of the best."""
        seeds = seed_order((entry for entry in entries if entry.is_active), plan.key)
        if not param_of(self.parameters, plan, "same_author"):
            author_of = {entry.number: entry.author for entry in entries}
            best_of = {author_of[number]: number for number in reversed(seeds)}
            seeds = [number for number in seeds if best_of[author_of[number]] == number]
        finalists = sorted(seeds[: param_of(self.parameters, plan, "finalists")])
        if len(finalists) < PAIR:
            return Over()
        rounds = count_pair_rounds(len(finalists), param_of(self.parameters, plan, "cycles"))
        return make_batch(
            [
                block
                for number in range(rounds)
                for block in make_blocks(
                    number + 1,
                    (
                        tuple(finalists[place] for place in group)
                        for group in pair_round(len(finalists), number, plan.key)
                    ),
                )
            ]
        )


def _order(strengths: Strengths) -> list[tuple[int, ...]]:
    """Return the places; bots of equal strength share one."""
    fit = dict(zip(strengths.players, strengths.mu, strict=True))
    results = Results(wins={}, against={}, fit=fit)
    return order([sorted(strengths.players)], by=("fit",), results=results)


def _order_with_ties(strengths: Strengths) -> list[tuple[int, ...]]:
    """Return the places; bots that cannot be told apart from a first one share its place."""
    places = _order(strengths)
    index_of = {player: index for index, player in enumerate(strengths.players)}
    level = {
        player
        for player in strengths.players
        if not all(
            are_separable(strengths, index_of[first], index_of[player]) for first in places[0]
        )
    }
    rest = (tuple(player for player in place if player not in level) for place in places)
    return [tuple(sorted(level)), *(place for place in rest if place)]


def _end(places: Sequence[tuple[int, ...]], others: tuple[int, ...], remark: str) -> Over:
    """Return the final places; those who were no finalists, or have left, are last."""
    return Over(tuple(place for place in (*places, others) if place), remark)
