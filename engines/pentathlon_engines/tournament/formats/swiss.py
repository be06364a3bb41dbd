"""`swiss/1`: some rounds, in each of which bots of about equal score meet.

The pairs of a round are the one matching of least cost. The highest costs are those of pairs that
have met before and of second byes, then of pairs of one author, then the score of the bot with the
bye, then the squared differences of scores, then bots that meet a lower one in two rounds running,
then a number drawn for each pair. So a rematch only happens where no pairing avoids it, and no tie
is left that a program could decide in its own way.

A bot that leaves during a block loses it: its opponent keeps what it has won and has the points of
a won block, so it never has less than from a bye. What the bot that left had won stays its own.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from math import ceil, log2
from typing import Final, NamedTuple

from pentathlon_engines.seeds import draw_many
from pentathlon_engines.tournament.formats.interface import (
    FORFEIT,
    PAIR,
    WIN,
    FieldEntry,
    Format,
    Group,
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
    count_meetings,
    count_points,
    make_batch,
    make_blocks,
)
from pentathlon_engines.tournament.formats.matching import match_all
from pentathlon_engines.tournament.formats.parameters import (
    check_entries,
    check_params,
    check_seats,
)
from pentathlon_engines.tournament.formats.seeding import seed_order

MOST_ENTRIES: Final = 500
BYE_POINTS: Final = PAIR * WIN
"""The half points of a bye, which counts as a block with both matches won."""

_TIE_BITS = 80
"""Room for the sum of a 64-bit word for each of up to 2**16 pairs."""


class RoundCosts(NamedTuple):
    """The cost of every pair of one round."""

    bots: tuple[int | None, ...]
    """The entries that play this round, in ascending order; then None for a bye, if there is
    one."""
    costs: list[list[int]]
    """The cost of each pair, by the places of both in `bots`."""


class Swiss(Format):
    """Each round is paired when all matches of the rounds before have ended."""

    name = "swiss/1"
    title = "Swiss"
    text = (
        "In every round, bots with about the same score meet, in both seats and with the same "
        "seed. No pair meets twice where that can be avoided. With an odd number, one of the "
        "lowest has a bye, which counts as a won block; so does a block whose opponent leaves. "
        "Points decide, then Buchholz, Sonneborn–Berger and wins, and at last the strength that "
        "fits all results."
    )
    laws = (FORFEIT,)
    """Pairings follow from scores, so results cannot be cancelled afterwards."""
    parameters = {
        "rounds": Parameter(
            default=None,
            schema={"type": ["integer", "null"], "minimum": 1, "maximum": 100},
            text="How many rounds are played; without a number, as few as leave one bot unbeaten.",
        ),
        "seeded": Parameter(
            default=False,
            schema={"type": "boolean"},
            text=(
                "Whether the upper half by strength meets the lower half in round 1, instead of "
                "by lot."
            ),
        ),
    }

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return points first: pairings are made by them."""
        return ("points", "buchholz_cut_1", "sonneborn_berger", "wins", "fit")

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong; more rounds than opponents would only repeat pairs."""
        problems = check_params(self.parameters, plan) + check_seats(plan, most=PAIR)
        problems += check_entries(entries, fewest=PAIR, most=MOST_ENTRIES)
        most = entries - 1 + entries % 2
        if not problems and self.rounds(plan, entries) > most:
            problems.append(
                Problem.of_param(
                    "rounds",
                    f"{entries} bots can play at most {most} rounds without meeting twice.",
                    {"minimum": 1, "maximum": most},
                )
            )
        return problems

    def rounds(self, plan: Plan, entries: int) -> int:
        """Return the number of rounds: as asked, or the fewest that leave one unbeaten bot."""
        asked = self.param(plan, "rounds")
        return asked if asked is not None else max(1, ceil(log2(entries)))

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of all rounds; a bot with a bye plays none."""
        matches = self.rounds(plan, entries) * (entries // 2) * PAIR
        return Size(matches, matches, matches)

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return the next round, once the last one is complete."""
        if not are_complete(played):
            return Wait()
        done = played[-1].round if played else 0
        if done >= self.rounds(plan, len(entries)) or len(active_numbers(entries)) < PAIR:
            return Over()
        bots, costs = self.round_costs(plan, entries, played)
        scores = round_scores(entries, played)
        pairs: list[Group] = [
            (one, other)
            for place, mate in enumerate(match_all(costs))
            if place < mate
            and (one := bots[place]) is not None
            and (other := bots[mate]) is not None
        ]
        pairs.sort(key=lambda pair: sorted(-scores[bot] for bot in pair))
        return make_batch(make_blocks(done + 1, pairs))

    def byes(
        self, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Mapping[int, int]:
        """Return the byes of all entries; an entry has no bye in rounds made after it had left."""
        return count_byes((entry._replace(is_active=True) for entry in entries), played)

    def round_costs(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> RoundCosts:
        """Return the costs from which the next round follows, for it and for its proof."""
        number = played[-1].round + 1 if played else 1
        bots: list[int | None] = [*active_numbers(entries)]
        if len(bots) % 2:
            bots.append(None)
        if number == 1 and self.param(plan, "seeded"):
            order = seed_order((entry for entry in entries if entry.is_active), plan.key)
            levels = _by_seed(order)
        else:
            levels = _by_score(round_scores(entries, played))
        prices = _Prices(
            levels,
            authors={entry.number: entry.author for entry in entries},
            met=count_meetings(block.seatings for block in played),
            byes=count_byes(entries, played) + count_forfeits(played),
            floated=floated_down(entries, played),
        )
        costs = [[0] * len(bots) for _ in bots]
        for place, one in enumerate(bots):
            if one is None:
                continue  # it is the last
            draws = draw_many(plan.key, "swiss", number, one)
            words = list(islice(draws, len(entries) + 1))  # by number, of all entries
            for after in range(place + 1, len(bots)):
                other = bots[after]
                if other is None:
                    cost = prices.of_bye(one) + words[-1]
                else:
                    cost = prices.of_pair(one, other) + words[other]
                costs[place][after] = costs[after][place] = cost
        return RoundCosts(tuple(bots), costs)


def count_byes(entries: Iterable[FieldEntry], played: Iterable[PlayedBlock]) -> Counter[int]:
    """Count the byes of all who still play: the rounds in which they have no block.

    A round is no bye for an entry that had left when it was made.
    """
    rounds: dict[int, set[int]] = {}
    for block in played:
        rounds.setdefault(block.round, set()).update((*block.seatings[0], *block.left))
    return Counter(
        number
        for number in active_numbers(entries)
        for playing in rounds.values()
        if number not in playing
    )


def count_forfeits(played: Iterable[PlayedBlock]) -> Counter[int]:
    """Count the blocks that an entry has won without a match; none of them should have a bye."""
    return Counter(
        entry
        for block in played
        if len(block.forfeits) == PAIR
        for entry, points in count_points(block).items()
        if points
    )


def round_scores(
    entries: Sequence[FieldEntry], played: Iterable[PlayedBlock]
) -> Mapping[int, int]:
    """Return the half points of all entries, byes and forfeits included.

    A void block gives none.
    """
    blocks = list(played)
    scores = Counter({entry.number: 0 for entry in entries})
    for block in blocks:
        scores.update(count_points(block))
    for number, byes in count_byes(entries, blocks).items():
        scores[number] += byes * BYE_POINTS
    return scores


def floated_down(entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]) -> set[int]:
    """Return who met a lower score in the last round made, or had a bye there."""
    if not played:
        return set()
    last = played[-1].round
    before = round_scores(entries, [block for block in played if block.round < last])
    blocks = [block for block in played if block.round == last]
    floated = set(+count_byes(entries, blocks))
    for one, other in (block.seatings[0] for block in blocks):
        if before[one] != before[other]:
            floated.add(one if before[one] > before[other] else other)
    return floated


class _Levels(NamedTuple):
    """Positions of bots, so that those with the right distance meet."""

    level: Mapping[int, int]
    apart: int
    """The distance of levels that costs nothing."""


def _by_score(scores: Mapping[int, int]) -> _Levels:
    return _Levels(scores, 0)


def _by_seed(order: Sequence[int]) -> _Levels:
    """Return levels by which each seed meets its like in the lower half; the last has the bye."""
    return _Levels(
        {number: len(order) - place for place, number in enumerate(order)}, len(order) // 2
    )


class _Prices:
    """What pairs cost; each unit is larger than all that a round can cost below it."""

    def __init__(
        self,
        levels: _Levels,
        *,
        authors: Mapping[int, str],
        met: Mapping[Group, int],
        byes: Mapping[int, int],
        floated: Collection[int],
    ) -> None:
        self.level, self.apart = levels
        self.authors = authors
        self.met = met
        self.byes = byes
        self.floated = floated
        self.lowest = min(self.level.values())
        spread = max(self.level.values()) - self.lowest
        self.of_float = 1 << _TIE_BITS
        self.of_level = self.of_float * (1 + len(authors))
        self.of_bye_level = self.of_level * (1 + len(authors) * max(spread, self.apart) ** 2)
        self.of_author = self.of_bye_level * (1 + spread)
        self.of_meeting = self.of_author * (1 + len(authors))

    def of_pair(self, one: int, other: int) -> int:
        """Return the cost of a block of two."""
        apart = abs(self.level[one] - self.level[other]) - self.apart
        return (
            self.of_meeting * self.met[one, other]
            + self.of_author * (self.authors[one] == self.authors[other])
            + self.of_level * apart * apart
            + self.of_float * (self._higher(one, other) in self.floated)
        )

    def _higher(self, one: int, other: int) -> int | None:
        """Return who of a pair floats down; None if their levels are equal."""
        if self.level[one] == self.level[other]:
            return None
        return max(one, other, key=self.level.__getitem__)

    def of_bye(self, bot: int) -> int:
        """Return the cost of a round without a match."""
        higher = self.level[bot] - self.lowest
        return (
            self.of_meeting * self.byes[bot]
            + self.of_bye_level * higher
            + self.of_float * (bot in self.floated)
        )
