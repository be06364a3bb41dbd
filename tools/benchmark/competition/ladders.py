"""Simulates a ladder that makes blocks for a season, and divisions that grow and close."""

from __future__ import annotations

import time
from collections import Counter
from itertools import combinations
from operator import itemgetter
from random import Random
from typing import Final, NamedTuple

from pentathlon_engines.tournament.formats.divisions import (
    add_newcomer,
    close_season,
    cut_field,
)
from pentathlon_engines.tournament.formats.ladder import LadderEntry, pair_ladder

MOST_OPEN: Final = 4
WANTED: Final = 16
"""The number of blocks wanted per call."""
_NEW_SIGMA: Final = 25 / 3


class LadderFigures(NamedTuple):
    """Figures of one season of a ladder."""

    largest_share: float
    """The largest share of a bot's blocks that it played against one opponent."""
    fill_share: float
    own_pairs: int
    blocks_apart: float
    """The blocks of the bot with the most, divided by those of the bot with the fewest."""
    slowest_ms: float


class DivisionFigures(NamedTuple):
    """Figures of a field over some seasons."""

    outside: int
    """How many bots that belong in the first division by true strength are not in it."""
    far_outside: int
    """How many of these are not in the second division, either."""
    largest: int
    """The number of bots in the largest division."""


def play_ladder(task: tuple[int, int, int]) -> LadderFigures:
    """Play a season with this number of bots, number of seats and seed."""
    bots, seats, seed = task
    random = Random(seed)
    truth = [random.gauss(25, 6) for _ in range(bots)]
    meetings: Counter[tuple[int, ...]] = Counter()
    blocks_of: Counter[int] = Counter()
    made = fills = own = 0
    slowest = 0.0
    while made < 40 * bots:
        entries = [
            _entry(number, truth[number], blocks_of[number], random) for number in range(bots)
        ]
        start = time.process_time()
        blocks = pair_ladder(
            entries,
            seats=seats,
            meetings=meetings,
            wanted=WANTED,
            most_open=MOST_OPEN,
            made=made,
            key=bytes(32),
        )
        slowest = max(slowest, time.process_time() - start)
        made += len(blocks)
        for block in blocks:
            group = tuple(sorted(block.seatings[0]))
            meetings.update(combinations(group, 2))
            blocks_of.update(group)
            fills += block.is_fill
            own += len({entries[bot].author for bot in group}) < seats
    shares = (count / blocks_of[bot] for pair, count in meetings.items() for bot in pair)
    return LadderFigures(
        largest_share=max(shares),
        fill_share=fills / made,
        own_pairs=own,
        blocks_apart=max(blocks_of.values()) / min(blocks_of[bot] for bot in range(bots)),
        slowest_ms=1_000 * slowest,
    )


def grow_divisions(task: tuple[int, int, int]) -> DivisionFigures:
    """Let bots join one by one, and play seasons; the task is bots, seasons and seed."""
    bots, seasons, seed = task
    random = Random(seed)
    truth = [random.gauss(0, 1) for _ in range(bots)]
    divisions: list[list[int]] = []
    for bot in range(bots):
        # Only the lowest division changes, so the others need not be copied each time.
        divisions[-1:] = add_newcomer(divisions[-1:], bot)
    largest = max(map(len, divisions))
    for _ in range(seasons):
        tables = []
        for division in divisions:
            seen = [(bot, truth[bot] + random.gauss(0, 0.15)) for bot in division]
            tables.append(sorted(seen, key=itemgetter(1), reverse=True))
        divisions = close_season(tables)
        largest = max(largest, *map(len, divisions))
    order = sorted(range(bots), key=truth.__getitem__, reverse=True)
    best = set(cut_field(order)[0])
    second = divisions[1] if len(divisions) > 1 else []
    return DivisionFigures(
        outside=len(best.difference(divisions[0])),
        far_outside=len(best.difference(divisions[0], second)),
        largest=largest,
    )


def _entry(number: int, truth: float, blocks: int, random: Random) -> LadderEntry:
    """Return a bot with its current rating; two of three authors have one bot, the others two."""
    sigma = _NEW_SIGMA / (1 + blocks) ** 0.5
    author = number if number % 4 else number + 1
    return LadderEntry(number, f"author {author}", truth + random.gauss(0, sigma), sigma)
