"""`ladder/1`: who meets next on a ladder that never ends.

At least every other block fills gaps: the bot that has played least meets those it met least. The
others go where a result tells most: to bots whose ratings are uncertain, against rivals of about
equal strength. In both, newcomers come first, then versions that are still uncertain. Bots of one
author never meet, and one opponent has at most 40 % of a bot's blocks. That takes more than three
opponents, or ten blocks against three: two have half each, and a single one has them all.

The rule is `pair_ladder`. The standing ladders of a platform ask it as bots come and go, with
their live ratings (`tournament.ladder_batches`). As a format it plays a given field for some
rounds.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from pentathlon_engines.seeds import draw
from pentathlon_engines.tournament.formats.estimates import estimate
from pentathlon_engines.tournament.formats.interface import (
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
    Seatings,
    Size,
    Step,
    Wait,
    are_complete,
    count_meetings,
    make_batch,
    matches_per_block,
    seatings_of,
)
from pentathlon_engines.tournament.formats.parameters import (
    check_entries,
    check_params,
    check_seats,
)

NAME: Final = "ladder/1"
SETTLED_SIGMA: Final = 1.9
"""The sigma below which a version is no longer new."""
MOST_SHARE: Final = (2, 5)
"""The largest share of a bot's blocks against one opponent, as a fraction."""
MOST_ENTRIES: Final = 100
"""The most entries of the format, because each round estimates all strengths anew."""


_BETA = 25 / 6
_DIGITS = 9
"""Numbers are compared with this many digits, as their last bits depend on the processor."""


class LadderEntry(NamedTuple):
    """One version on a ladder."""

    number: int
    author: str
    mu: float
    sigma: float
    open_blocks: int = 0
    """The number of blocks under way."""
    is_newcomer: bool = False
    """Whether it is served first, and by those who have enough under way, too."""


class LadderBlock(NamedTuple):
    """A block to play now."""

    seatings: Seatings
    is_fill: bool
    """Whether it was chosen for having the fewest meetings, not for what its result tells."""


def pair_ladder(
    entries: Iterable[LadderEntry],
    *,
    seats: int,
    meetings: Mapping[Group, int],
    wanted: int,
    most_open: int,
    made: int,
    key: bytes,
) -> list[LadderBlock]:
    """Return up to `wanted` blocks; fewer if the others would give somebody too many at once.

    `meetings` counts the blocks that two have met in, open ones included, the lower number first.
    `made` is the number of blocks of this ladder so far. Nobody has more than `most_open` blocks
    under way, but for the opponents of newcomers: what those have under way may wait for long.
    """
    standing = _Standing(entries, seats, meetings, most_open, (key, made))
    blocks: list[LadderBlock] = []
    while len(blocks) < wanted:
        is_fill = (made + len(blocks)) % 2 == 0
        group = standing.choose_group(is_fill=is_fill)
        if group is None:
            break
        standing.note(group)
        blocks.append(LadderBlock(seatings_of(group), is_fill))
    return blocks


class LadderRounds(Format):
    """A given field pairs itself for some rounds, each when the one before is complete."""

    name = NAME
    title = "Ladder"
    text = (
        "In every round about half of the blocks pair bots that have met least; the others pair "
        "bots whose result tells most: they are uncertain, and about equally strong. Bots of one "
        "author never meet. The strength that fits all results decides."
    )
    parameters = {
        "rounds": Parameter(
            default=20,
            schema={"type": "integer", "minimum": 1, "maximum": 500},
            text=(
                "How many rounds are played; in each, everybody has one block where that is "
                "possible."
            ),
            repeats_from=2,
        )
    }

    def order(self, plan: Plan) -> tuple[str, ...]:
        """Return strength: opponents and their number differ, so points say little."""
        return ("fit",)

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        """Return what is wrong with the rounds, the tables or the number of bots."""
        return [
            *check_params(self.parameters, plan),
            *check_seats(plan),
            *check_entries(entries, fewest=plan.seats, most=MOST_ENTRIES),
        ]

    def size(self, plan: Plan, entries: int) -> Size:
        """Return the matches of full rounds; none are sure, as all bots may be of one author."""
        rounds: int = self.param(plan, "rounds")
        most = rounds * (entries // plan.seats) * matches_per_block(plan.seats)
        return Size(0, most, most)

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        """Return the next round, once the last one is complete."""
        if not are_complete(played):
            return Wait()
        done = played[-1].round if played else 0
        active = [entry for entry in entries if entry.is_active]
        if done >= self.param(plan, "rounds") or len(active) < plan.seats:
            return Over()
        playing = _without_a_rest(active, played, key=plan.key, seats=plan.seats)
        paired = pair_ladder(
            _lines(plan, playing, played),
            seats=plan.seats,
            meetings=count_meetings(block.seatings for block in played),
            wanted=len(playing) // plan.seats,
            most_open=1,
            made=len(played),
            key=plan.key,
        )
        if not paired:
            return Over(remark="bots of one author do not meet")
        return make_batch([PlannedBlock(done + 1, block.seatings) for block in paired])


def _without_a_rest(
    active: Sequence[FieldEntry], played: Sequence[PlayedBlock], *, key: bytes, seats: int
) -> list[FieldEntry]:
    """Return the entries that fill whole tables; those with most blocks sit the round out."""
    blocks = Counter(bot for block in played for bot in block.seatings[0])

    def need(entry: FieldEntry) -> tuple[int, int]:
        return blocks[entry.number], draw(key, "rest", len(played), entry.number)

    return sorted(active, key=need)[: len(active) // seats * seats]


def _lines(
    plan: Plan, active: Sequence[FieldEntry], played: Sequence[PlayedBlock]
) -> list[LadderEntry]:
    """Return the entries with their strengths, as estimated from the blocks so far."""
    numbers = [entry.number for entry in active]
    strengths = estimate(plan, played, others=numbers).only(numbers)
    places = {number: place for place, number in enumerate(strengths.players)}
    return [
        LadderEntry(
            number=entry.number,
            author=entry.author,
            mu=strengths.mu[places[entry.number]],
            sigma=strengths.sigma(places[entry.number]),
        )
        for entry in active
    ]


class _Standing:
    """Who has met whom, the blocks of this call included."""

    def __init__(
        self,
        entries: Iterable[LadderEntry],
        seats: int,
        meetings: Mapping[Group, int],
        most_open: int,
        draws: tuple[bytes, int],
    ) -> None:
        key, made = draws
        self.entries = {entry.number: entry for entry in entries}
        self.seats = seats
        self.most_open = most_open
        self.open = {number: entry.open_blocks for number, entry in self.entries.items()}
        self.order = {number: draw(key, "ladder", made, number) for number in self.entries}
        self.met: dict[int, Counter[int]] = defaultdict(Counter)
        for (one, other), count in meetings.items():
            if one in self.entries and other in self.entries:
                self.met[one][other] += count
                self.met[other][one] += count
        self.blocks = {
            number: sum(self.met[number].values()) // (seats - 1) for number in self.entries
        }

    def note(self, group: Group) -> None:
        """Count a block that was chosen."""
        for bot in group:
            self.open[bot] += 1
            self.blocks[bot] += 1
        for one, other in combinations(group, PAIR):
            self.met[one][other] += 1
            self.met[other][one] += 1

    def choose_group(self, *, is_fill: bool) -> Group | None:
        """Return the bots of one block, or None if nobody can play."""
        free = [bot for bot in self.entries if self.open[bot] < self.most_open]
        for first in self._by_need(free, is_fill=is_fill):
            group = [first]
            around = self._around_newcomer(free) if self._is_new(first) else free
            while len(group) < self.seats:
                company = self._best_company(group, around, is_fill=is_fill)
                if company is None:
                    break
                group.append(company)
            else:
                return tuple(sorted(group, key=self.order.__getitem__))
        return None

    def _is_new(self, bot: int) -> bool:
        return self.entries[bot].is_newcomer

    def _around_newcomer(self, free: Sequence[int]) -> list[int]:
        """Return who may be paired with a newcomer: all but newcomers who have enough to do."""
        return [bot for bot in self.entries if bot in free or not self._is_new(bot)]

    def _by_need(self, free: Sequence[int], *, is_fill: bool) -> Iterator[int]:
        """Yield who should play next: newcomers first, then those who are uncertain."""

        def need(bot: int) -> tuple[bool, bool, float, int]:
            sigma = self.entries[bot].sigma
            amount = self.blocks[bot] if is_fill else -round(sigma / (1 + self.open[bot]), _DIGITS)
            return not self._is_new(bot), sigma < SETTLED_SIGMA, amount, self.order[bot]

        # Nearly always the first one can play, so the others need no order.
        if free:
            yield min(free, key=need)
            yield from sorted(free, key=need)[1:]

    def _best_company(
        self, group: Sequence[int], free: Sequence[int], *, is_fill: bool
    ) -> int | None:
        """Return who joins a table; None if every bot left is of an author who sits there."""
        authors = {self.entries[bot].author for bot in group}
        others = [bot for bot in free if self.entries[bot].author not in authors]
        if not others:
            return None
        allowed = [bot for bot in others if all(self._is_allowed(bot, one) for one in group)]
        if is_fill or not allowed:  # in a small field, somebody has to be met more often
            return min(allowed or others, key=lambda bot: self._meetings_at(bot, group))
        return max(allowed, key=lambda bot: (self._worth(bot, group), self.order[bot]))

    def _is_allowed(self, one: int, other: int) -> bool:
        """Return whether after one more meeting neither has too many blocks against the other."""
        met = self.met[one][other]
        part, whole = MOST_SHARE
        fewest = min(self.blocks[one], self.blocks[other])
        return not met or whole * (met + 1) <= part * (fewest + 1)

    def _meetings_at(self, bot: int, group: Sequence[int]) -> tuple[int, int, int]:
        met = sum(self.met[bot][other] for other in group)
        return met, self.blocks[bot], self.order[bot]

    def _worth(self, bot: int, group: Sequence[int]) -> float:
        """Return how much a result would tell: how even the match is, times what is not known."""
        mine = self.entries[bot]
        worth = 0.0
        for other in group:
            theirs = self.entries[other]
            unknown = mine.sigma**2 + theirs.sigma**2
            noise = 2 * _BETA**2 + unknown
            lead = mine.mu - theirs.mu
            evenness = math.exp(-lead * lead / (2 * noise)) * math.sqrt(2 * _BETA**2 / noise)
            worth += evenness * math.sqrt(unknown)
        return round(worth / (1 + self.open[bot]), _DIGITS)
