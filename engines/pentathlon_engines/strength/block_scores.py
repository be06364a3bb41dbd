"""Scores of blocks: a share of the points, with its interval.

A block is the unit: its matches share their seed, so they may be alike. Each match gives two half
points to the bot of a pair that is ahead, or one to each for a tie. So a block of two
matches gives 0 to 4 half points, which makes the five counts of a pentanomial.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pentathlon_engines.strength.best import Z_95

WIN: Final = 2
"""The half points for a won match."""

_WIDENED: Final = 1.25
"""A factor on intervals: bare 95 % intervals of few blocks hold the truth too rarely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockScore:
    """A share of the points in complete blocks, with its 95 % interval."""

    blocks: int
    matches: int
    points: float
    share: float
    low: float
    high: float
    counts: tuple[int, ...]
    """How many blocks gave 0, ½, 1 … points."""


def half_points(ranks: Sequence[int], *, own: int, other: int) -> int:
    """Return what a match gives one seat against another; ranks and indices are by seat.

    If all seats failed, nobody was best: that is no draw, and no seat gets anything.

    >>> half_points([0, 1], own=0, other=1)
    2
    >>> half_points([1, 1], own=0, other=1)
    0
    """
    if 0 not in ranks or ranks[own] > ranks[other]:
        return 0
    return 1 if ranks[own] == ranks[other] else WIN


def counts_of(cells: Iterable[int], *, matches: int) -> list[int]:
    """Return how many blocks gave each number of half points; a block has `matches` matches.

    >>> counts_of([4, 3, 4], matches=2)
    [0, 0, 0, 1, 2]
    """
    counts = [0] * (WIN * matches + 1)
    for cell in cells:
        counts[cell] += 1
    return counts


def score_of(counts: Sequence[int]) -> BlockScore | None:
    """Return the score of blocks; None before the first complete one.

    The interval is that of the mean over the blocks, one lost block and one won block more. So a
    few blocks that all ended alike do not look certain. Measured on simulated
    blocks of two, alike or not, of 1 to 20 blocks, it holds the true share in 96 to 100 % of
    cases.
    """
    blocks = sum(counts)
    if not blocks:
        return None
    most = len(counts) - 1
    half = math.fsum(each * count for each, count in enumerate(counts))
    share = half / (most * blocks)
    padded = [*counts]
    padded[0] += 1
    padded[-1] += 1
    middle, error = _mean_and_error(padded)
    reach = _WIDENED * Z_95 * error
    return BlockScore(
        blocks=blocks,
        matches=blocks * most // WIN,
        points=half / WIN,
        share=share,
        low=max(0.0, min(middle - reach, share)),
        high=min(1.0, max(middle + reach, share)),
        counts=tuple(counts),
    )


def _mean_and_error(counts: Sequence[int]) -> tuple[float, float]:
    """Return the mean share of some blocks, and its standard error."""
    blocks, most = sum(counts), len(counts) - 1
    mean = math.fsum(each * count for each, count in enumerate(counts)) / (most * blocks)
    spread = math.fsum(count * (each / most - mean) ** 2 for each, count in enumerate(counts))
    return mean, math.sqrt(spread / (blocks - 1) / blocks)
