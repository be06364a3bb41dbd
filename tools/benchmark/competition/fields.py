"""Bots of known strength, and matches between them as the formats pair them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import combinations, pairwise
from random import Random
from typing import Final

from pentathlon_engines.strength.pair_model import PlayedMatch, draw_margin
from pentathlon_engines.strength.thurstone import BETA, MU
from pentathlon_engines.tournament.formats.interface import (
    Batch,
    FieldEntry,
    Plan,
    PlannedBlock,
    PlayedBlock,
)
from pentathlon_engines.tournament.formats.tables import Tables

DRAWS: Final = 0.1
_MARGIN: Final = draw_margin(DRAWS) * math.sqrt(2) * BETA
_HALF: Final = math.sqrt(0.5)
_TWO: Final = 2

Seatings = tuple[tuple[int, ...], ...]
"""The matches of one block, each as its bots in the order of their seats."""


class Noise(StrEnum):
    """Sources of luck in a match."""

    INDEPENDENT = "independent"
    """Every match has luck of its own."""
    SHARED = "seed share .5"
    """Half of the variance comes from the seed: a seat is lucky in all matches of a block."""
    DETERMINISTIC = "deterministic"
    """The same bots in the same seats always play the same match."""


class Luck:
    """Plays matches with one kind of noise."""

    def __init__(self, truth: Sequence[float], noise: Noise, rng: Random) -> None:
        self._truth, self._noise, self._rng = truth, noise, rng
        self._played: dict[tuple[int, ...], PlayedMatch] = {}

    def play(self, blocks: Iterable[Seatings]) -> Iterator[PlayedMatch]:
        """Yield the matches of the blocks, which are numbered from 0."""
        for number, seatings in enumerate(blocks):
            yield from self.play_block(number, seatings)

    def play_block(self, number: int, seatings: Seatings) -> Iterator[PlayedMatch]:
        """Yield the matches of one block."""
        seats = [self._rng.gauss(0, BETA * _HALF) for _ in seatings[0]]
        for seating in seatings:
            if self._noise is Noise.DETERMINISTIC:
                yield self._repeated(number, seating)
            elif self._noise is Noise.SHARED:
                yield self._match(number, seating, seats, BETA * _HALF)
            else:
                yield self._match(number, seating, [0.0] * len(seating), BETA)

    def _repeated(self, number: int, seating: tuple[int, ...]) -> PlayedMatch:
        if seating not in self._played:
            first = self._match(number, seating, [0.0] * len(seating), BETA)
            self._played[seating] = first._replace(course="the same")
        return self._played[seating]._replace(block=number)

    def _match(
        self, number: int, seating: tuple[int, ...], luck: Sequence[float], noise: float
    ) -> PlayedMatch:
        shown = [
            self._truth[bot] + seat + self._rng.gauss(0, noise)
            for bot, seat in zip(seating, luck, strict=True)
        ]
        return PlayedMatch(seating, ranks_of(shown), number)


def draw_truth(bots: int, rng: Random, *, spread: float) -> list[float]:
    """Return strengths around 25; `spread` is in units of the noise of one performance."""
    truth = [rng.gauss(0, spread * BETA) for _ in range(bots)]
    mean = math.fsum(truth) / bots
    return [MU + strength - mean for strength in truth]


def ranks_of(shown: Sequence[float]) -> tuple[int, ...]:
    """Return the ranks of performances; neighbours within the margin share one."""
    order = sorted(range(len(shown)), key=lambda seat: -shown[seat])
    ranks = [0] * len(shown)
    for place, (above, seat) in enumerate(pairwise(order), start=1):
        is_level = shown[above] - shown[seat] < _MARGIN
        ranks[seat] = ranks[above] if is_level else place
    return tuple(ranks)


@cache
def paired_blocks(bots: int, halves: int) -> tuple[Seatings, ...]:
    """Return blocks in which every pair plays `halves` matches; two matches make a block."""
    blocks: list[Seatings] = []
    for done in range(0, halves, _TWO):
        for turn, (first, second) in enumerate(combinations(range(bots), _TWO)):
            legs = ((first, second), (second, first))
            whole = halves - done >= _TWO
            blocks.append(legs if whole else (legs[turn % _TWO],))
    return tuple(blocks)


@cache
def table_blocks(bots: int, seats: int, cycles: int) -> tuple[Seatings, ...]:
    """Return the blocks that the format `tables/2` makes."""
    tables = Tables()
    plan = Plan(seats=seats, params={"cycles": cycles}, key=bytes(32))
    entries = [FieldEntry(number, str(number)) for number in range(bots)]
    made: list[PlannedBlock] = []
    while isinstance(
        batch := tables.next(
            plan, entries, [PlayedBlock(block.round, block.seatings, None) for block in made]
        ),
        Batch,
    ):
        made += batch.blocks
    return tuple(block.seatings for block in made)
