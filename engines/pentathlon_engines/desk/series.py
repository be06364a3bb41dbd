"""A series: the same bots meet again and again, each block with another seed.

Seeds count up from the first one, so any match can be played again alone: the match of block 5
has seed 1004 where the first has 1000, and its bots are told the same name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pentathlon_engines.desk.match_pool import DeskMatch, desk_alias
from pentathlon_engines.desk.tally import DeskResult, Tally
from pentathlon_engines.strength.sprt import BlockScore, counts_of, half_points, score_of
from pentathlon_engines.tournament.formats.interface import seatings_of

SEED_STEPS: Final = 2**53
"""The number of seeds; after the largest one, seeds continue from 0."""


class Series:
    """Matches between bots numbered in the order of their seats, and the results so far."""

    def __init__(self, *, seats: int, matches: int, seed: int, swaps: bool) -> None:
        players = tuple(range(seats))
        self._seatings = seatings_of(players) if swaps else (players,)
        self._seed = seed
        per_block = len(self._seatings)
        self.blocks = -(-matches // per_block)
        """The number of blocks, rounded up: blocks are played whole."""
        self.matches = self.blocks * per_block
        self.tally = Tally(seats)
        self.void = 0
        self._rest = self._plan()
        self._results: dict[int, dict[int, DeskResult | None]] = {}

    def next_match(self) -> DeskMatch | None:
        """Return the next match, or None after the last one."""
        return next(self._rest, None)

    def take(self, match: DeskMatch, result: DeskResult | None) -> None:
        """Count a match that has ended; the result is None if the match could not be played."""
        self._results.setdefault(match.block, {})[match.index] = result
        if result is None:
            self.void += 1
        else:
            self.tally.count(match.players, result)

    def score(self, player: int) -> BlockScore | None:
        """Return the share of the points that a bot took in whole blocks; None before the first.

        At tables of more than two, the points are those against each opponent.
        """
        cells = [
            sum(
                half_points(result.ranks, own=seating.index(player), other=place)
                for seating, result in zip(self._seatings, block, strict=True)
                for place, other in enumerate(seating)
                if other != player
            )
            for block in self._whole_blocks()
        ]
        others = len(self.tally.lines) - 1
        return score_of(counts_of(cells, matches=len(self._seatings) * others))

    def _plan(self) -> Iterator[DeskMatch]:
        index = 0
        for block in range(1, self.blocks + 1):
            seed = (self._seed + block - 1) % SEED_STEPS
            for leg, seating in enumerate(self._seatings, start=1):
                index += 1
                alias = desk_alias(seed, leg=leg)
                yield DeskMatch(index=index, block=block, players=seating, seed=seed, alias=alias)

    def _whole_blocks(self) -> Iterator[list[DeskResult]]:
        """Yield the results of blocks of which every match was played, in seat order."""
        for _, results in sorted(self._results.items()):
            played = [result for _, result in sorted(results.items()) if result is not None]
            if len(played) == len(self._seatings):
                yield played
