"""`finals/2`: finds out who is the best of a few, with as few matches as that needs.

It starts with a round robin of the best by strength. Then the two bots meet whose result
says most about who is the best (top-two Thompson sampling on the estimate of strengths), until one
is the best with enough probability or the budget is used up. A match that only repeats an earlier
one move by move says nothing new: it counts once, as in the final table. `finals/1` counted it
again.
"""

from collections.abc import Sequence
from math import comb
from typing import Final

from pentathlon_engines.strength.best import are_separable, chances_of_best, next_pair
from pentathlon_engines.strength.thurstone import Strengths
from pentathlon_engines.tournament.formats.estimates import estimate
from pentathlon_engines.tournament.formats.interface import (
    PAIR,
    FieldEntry,
    Format,
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
)
from pentathlon_engines.tournament.formats.seeding import seed_order
from pentathlon_engines.tournament.schedule import count_pair_rounds, pair_round
from pentathlon_engines.tournament.tie_breaks import Results, order

_BATCH: Final = 4
"""The number of blocks between two estimates."""
_USUAL_MATCHES: Final = 350
"""The mean number measured for eight bots with a wide spread of strengths."""


class Finals(Format):
    """A round robin, then a few blocks at a time, those that tell most."""

    name = "finals/2"
    title = "Finals"
    text = (
        "The best by strength play a round robin. Then the pairs meet whose results say most "
        "about who is the best, until one bot is the best with enough probability or the budget "
        "is used up; then the bots that cannot be told apart share the first place. The estimated "
        "strength decides the other places."
    )
    reads_repeats = True
    parameters = {
        "finalists": Parameter(
            default=8,
            schema={"type": "integer", "minimum": 2, "maximum": 8},
            text="How many take part, the best by strength; what is unknown is drawn.",
        ),
        "cycles": Parameter(
            default=1,
            schema={"type": "integer", "minimum": 1, "maximum": 10},
            text="How many blocks each pair of them plays at first.",
            repeats_from=2,
        ),
        "blocks": Parameter(
            default=300,
            schema={"type": "integer", "minimum": 5, "maximum": 5_000},
            text="The budget: the most blocks in all.",
            repeats_from=5,
        ),
        "confidence": Parameter(
            default=0.95,
            schema={"type": "number", "minimum": 0.5, "maximum": 0.999},
            text="It ends when one bot is the best with this probability.",
        ),
        "same_author": Parameter(
            default=True,
            schema={"type": "boolean"},
            text=(
                "Whether two bots of one author may be finalists; if not, only each author's "
                "best one."
            ),
        ),
    }

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong; the budget must reach beyond the round robin."""
        problems = check_params(self.parameters, plan) + check_seats(plan, most=PAIR)
        problems += check_entries(entries, fewest=PAIR)
        if problems:
            return problems
        finalists = min(entries, self.param(plan, "finalists"))
        fewest = self._round_robin(plan, finalists) // PAIR + _BATCH
        if self.param(plan, "blocks") < fewest:
            problems.append(
                Problem.of_param(
                    "blocks",
                    f"The round robin and one batch after it need {fewest} blocks.",
                    {"minimum": fewest},
                )
            )
        return problems

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of the round robin, usually, and of the whole budget."""
        finalists = min(entries, self.param(plan, "finalists"))
        whole = self._round_robin(plan, finalists)
        most = max(whole, self.param(plan, "blocks") * PAIR)
        expected = min(max(whole, _USUAL_MATCHES), most)
        if not self.param(plan, "same_author"):
            # All bots may be of two authors, or even of one.
            return Size(0, expected, most)
        return Size(whole, expected, most)

    def _round_robin(self, plan: Plan, finalists: int) -> int:
        """Return how many matches come before the first estimate."""
        cycles: int = self.param(plan, "cycles")
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
        if best >= self.param(plan, "confidence"):
            return _end(
                _order(strengths),
                others,
                f"the best of the finalists with a probability of {100 * best:.0f} %",
            )
        left = self.param(plan, "blocks") - len(played)
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
        if not self.param(plan, "same_author"):
            author_of = {entry.number: entry.author for entry in entries}
            best_of = {author_of[number]: number for number in reversed(seeds)}
            seeds = [number for number in seeds if best_of[author_of[number]] == number]
        finalists = sorted(seeds[: self.param(plan, "finalists")])
        if len(finalists) < PAIR:
            return Over()
        rounds = count_pair_rounds(len(finalists), self.param(plan, "cycles"))
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


class FirstFinals(Finals):
    """Counted exact repeats again and again; documents of old name it."""

    name = "finals/1"
    reads_repeats = False


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
