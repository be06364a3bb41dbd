"""`ladder/1`: who meets next on a ladder that never ends.

At least every other block fills gaps: whoever has played least meets whom it has met least. The
others go where a result tells most: to bots whose ratings are uncertain, against rivals of about
equal strength. In both, versions that are still new come first. Bots of one author never meet,
and one opponent has at most 40 % of a bot's blocks. That takes more than three opponents, or ten
blocks against three: two have half each, and a single one has them all.

Who plays is not known from the start, so this is a function of its own and no `Format`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from pentathlon_engines.tournament.formats.blocks import PAIR, Group, Seatings, seatings_of
from pentathlon_engines.tournament.seeds import draw

NAME: Final = "ladder/1"
SETTLED_SIGMA: Final = 1.9
"""Below it, a version is no longer new."""
MOST_SHARE: Final = (2, 5)
"""Of a bot's blocks against one opponent, as a fraction."""

_BETA = 25 / 6
_DIGITS = 9
"""Chances are compared rounded, as their last bits depend on the processor."""


class LadderEntry(NamedTuple):
    """One version on a ladder."""

    number: int
    author: str
    mu: float
    sigma: float
    open_blocks: int = 0
    """Blocks under way."""


class LadderBlock(NamedTuple):
    """A block to play now."""

    seatings: Seatings
    is_fill: bool
    """Whether it was chosen by fewest meetings; else by what its result tells."""


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
    under way.
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
            while len(group) < self.seats:
                company = self._best_company(group, free, is_fill=is_fill)
                if company is None:
                    break
                group.append(company)
            else:
                return tuple(sorted(group, key=self.order.__getitem__))
        return None

    def _by_need(self, free: Sequence[int], *, is_fill: bool) -> Iterator[int]:
        """Yield who should play next: new versions first."""

        def need(bot: int) -> tuple[bool, float, int]:
            sigma = self.entries[bot].sigma
            amount = self.blocks[bot] if is_fill else -round(sigma / (1 + self.open[bot]), _DIGITS)
            return sigma < SETTLED_SIGMA, amount, self.order[bot]

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
        """Whether another meeting keeps both below the most of one opponent."""
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
