"""Is one bot better than another? Scores of blocks, and a sequential test on them.

The matches of a block share their seed, so they are one observation: the block's score, the mean
of its points, in steps of 1/(2k) with k matches. The log likelihood ratio is that of Van den Bergh
(generalized SPRT), 1/2 n ln(r0/r1) with r = variance + (mean - expected)². With our wide
hypotheses it errs too often if it is asked early (12 to 30 % measured for 5 % stated) or after
each block, so the first look is at 20 blocks and then every 4; see `bench ratings`.

Far from one half, scores are skewed, and a first look at 20 blocks errs too often again. Computed
over all courses of blocks of two matches that end alike, which is the worst case, without draws:
6 % at .6 against .7, 8 % at .7 against .8 for 5 % stated. So the first look comes later there; by
the rule of `Sprt.first_look` it is 4.7 % (71 blocks), 3.0 % (124 blocks) and, at .8 against .9,
4.5 % (95 blocks). For 1 % stated it is up to 1.1 %.

Scores of blocks: a share of the points, with its interval.

A block is the unit: its matches share their seed, so they may be alike. Each match gives two half
points to the bot of a pair that is ahead, or one to each for a tie. So a block of two
matches gives 0 to 4 half points, which makes the five counts of a pentanomial.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from pentathlon_engines.strength.best import Z_95

_EVEN: Final = 0.5
_FAR: Final = 0.2
_FIRST_LOOK: Final = 20
_EMPTY: Final = 1e-3
"""What an empty cell counts as: a score that never came is not impossible."""
_ELO_PER_DEVIATION: Final = 800 / math.log(10)
WIN: Final = 2
"""The half points for a won match."""
_WIDENED: Final = 1.25
"""A factor on intervals: bare 95 % intervals of few blocks hold the truth too rarely."""


class SprtDecision(StrEnum):
    """The decision of a test."""

    BETTER = "better"
    NOT_BETTER = "not_better"
    UNDECIDED = "undecided"


class NormalizedElo(NamedTuple):
    """The score's distance from one half in standard deviations of a match, on Elo's scale."""

    elo: float
    error: float
    """Half the width of its 95 % interval."""


class Spread(NamedTuple):
    """Number, mean and variance of block scores."""

    blocks: float
    mean: float
    variance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sprt:
    """A test and its rules of stopping. The hypotheses are mean scores."""

    null: float = 0.50
    alternative: float = 0.55
    alpha: float = 0.05
    """The probability of `BETTER` although the null hypothesis holds."""
    beta: float = 0.05
    """The probability of `NOT_BETTER` although the alternative holds."""
    look_every: int = 4

    @property
    def first_look(self) -> int:
        """The number of blocks before the first look: 20, or more if both hypotheses are uneven.

        From one half to a fifth of the whole beyond it, the first look moves on to the mean length
        of a test by blocks whose matches end alike.

        >>> [Sprt(null=null, alternative=null + 0.1).first_look for null in (0.5, 0.6, 0.7, 0.8)]
        [20, 71, 124, 95]
        """
        beyond = max(self.null - _EVEN, _EVEN - self.alternative, 0.0)
        nearer = self.null if self.null > _EVEN else self.alternative
        _, upper = self.bounds if self.null > _EVEN else (0.0, -self.bounds[0])
        noise = nearer * (1 - nearer) / (self.alternative - self.null) ** 2
        return max(_FIRST_LOOK, math.ceil(min(1.0, beyond / _FAR) * 2 * upper * noise))

    @property
    def bounds(self) -> tuple[float, float]:
        """The log likelihood ratios at which the test ends.

        >>> [round(bound, 4) for bound in Sprt().bounds]
        [-2.9444, 2.9444]
        """
        lower = math.log(self.beta / (1 - self.alpha))
        return lower, math.log((1 - self.beta) / self.alpha)

    def is_look(self, blocks: int) -> bool:
        """Return whether the test may end after so many blocks."""
        return blocks >= self.first_look and (blocks - self.first_look) % self.look_every == 0

    def ratio(self, counts: Sequence[int]) -> float:
        """Return the log likelihood ratio of blocks counted by score, from 0 to 1."""
        return log_likelihood_ratio(spread(counts), null=self.null, alternative=self.alternative)

    def decide(self, counts: Sequence[int]) -> SprtDecision:
        """Return the decision of a look at these counts."""
        lower, upper = self.bounds
        ratio = self.ratio(counts)
        if ratio >= upper:
            return SprtDecision.BETTER
        return SprtDecision.NOT_BETTER if ratio <= lower else SprtDecision.UNDECIDED

    def run(self, cells: Iterable[int], *, matches: int) -> tuple[SprtDecision, list[int]]:
        """Return the first decision over blocks in their order, and the counts behind it.

        `cells` are the blocks' scores in steps of 1/(2k), with k `matches` in a block.
        """
        counts = [0] * (2 * matches + 1)
        for blocks, cell in enumerate(cells, start=1):
            counts[cell] += 1
            if self.is_look(blocks) and (found := self.decide(counts)) != SprtDecision.UNDECIDED:
                return found, counts
        return SprtDecision.UNDECIDED, counts


def spread(counts: Sequence[int]) -> Spread:
    """Return mean and variance of blocks counted by score, in equal steps from 0 to 1."""
    weights = [count or _EMPTY for count in counts]
    scores = [cell / (len(counts) - 1) for cell in range(len(counts))]
    total = math.fsum(weights)
    mean = math.fsum(weight * score for weight, score in zip(weights, scores, strict=True)) / total
    squares = (weight * (score - mean) ** 2 for weight, score in zip(weights, scores, strict=True))
    return Spread(total, mean, math.fsum(squares) / total)


def log_likelihood_ratio(seen: Spread, *, null: float, alternative: float) -> float:
    """Return the logarithm of how much better the alternative explains the scores."""
    rest = [seen.variance + (seen.mean - expected) ** 2 for expected in (null, alternative)]
    return seen.blocks / 2 * math.log(rest[0] / rest[1])


def normalized_ratio(counts: Sequence[int], *, null_elo: float, alternative_elo: float) -> float:
    """Return the log likelihood ratio of two hypotheses in normalized Elo, as fishtest has it."""
    seen = spread(counts)
    matches = _matches(counts)
    distance = (seen.mean - 0.5) / math.sqrt(matches * seen.variance)
    rest = [1 + (distance - elo / _ELO_PER_DEVIATION) ** 2 for elo in (null_elo, alternative_elo)]
    return matches * seen.blocks / 2 * math.log(rest[0] / rest[1])


def normalized_elo(counts: Sequence[int]) -> NormalizedElo:
    """Return how much better than even the blocks were, in units that draws do not shrink."""
    seen = spread(counts)
    matches = _matches(counts)
    distance = (seen.mean - 0.5) / math.sqrt(matches * seen.variance)
    error = Z_95 / math.sqrt(matches * seen.blocks)
    return NormalizedElo(_ELO_PER_DEVIATION * distance, _ELO_PER_DEVIATION * error)


def _matches(counts: Sequence[int]) -> int:
    """Return how many matches a block has."""
    return (len(counts) - 1) // 2


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
