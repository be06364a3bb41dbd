"""Matches by pair, and the likelihood of their results, given two strengths.

Thurstone and Mosteller's model with draws: a bot performs at its strength plus normal noise, and
the bot that performs better by more than a margin wins. Differences are in units of their noise.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from statistics import NormalDist
from typing import Final, NamedTuple

WIN: Final = 0
DRAW: Final = 1
LOSS: Final = 2

_FAR: Final = 35.0
"""Standard deviations beyond which probabilities leave the range of floats."""
_NORMAL: Final = NormalDist()
_ROOT_2: Final = math.sqrt(2)
_ROOT_2_PI: Final = math.sqrt(2 * math.pi)
Pair = tuple[int, int]
"""Two indices of players, the smaller one first."""
Counts = dict[Pair, list[int]]
"""Wins, draws and losses of the first player of each pair."""


class Slope(NamedTuple):
    """The logarithm of an outcome's probability, by the difference of the two strengths."""

    score: float
    """The first derivative."""
    curvature: float
    """Minus the second derivative; never negative."""


class PairOutcomes(NamedTuple):
    """A win, a draw and a loss of the first of two, before they play."""

    probabilities: tuple[float, float, float]
    slopes: tuple[Slope, Slope, Slope]

    @property
    def information(self) -> float:
        """The Fisher information about the difference that one match is expected to give."""
        (win, draw, loss), slopes = self.probabilities, self.slopes
        return win * slopes[0][0] ** 2 + draw * slopes[1][0] ** 2 + loss * slopes[2][0] ** 2


def draw_margin(draw_probability: float) -> float:
    """Return the margin with which two bots of equal strength draw that often.

    >>> round(draw_margin(0.1), 4)
    0.1257
    """
    return _NORMAL.inv_cdf((1 + draw_probability) / 2)


def draws_within(margin: float) -> float:
    """Return how often two bots of equal strength are within the margin.

    >>> round(draws_within(draw_margin(0.1)), 12)
    0.1
    """
    return math.erf(margin / _ROOT_2)


def outcomes(lead: float, margin: float) -> PairOutcomes:
    """Return probabilities and slopes of the three outcomes; `lead` is first minus second.

    >>> [round(chance, 3) for chance in outcomes(0.0, draw_margin(0.1)).probabilities]
    [0.45, 0.1, 0.45]
    """
    above, below = lead + margin, lead - margin
    high, low = _density(above), _density(below)
    won, lost = _tail(-below), _tail(above)
    # In the lower tail, where the difference loses no digits.
    drawn = _tail(below) - lost if lead > 0 else _tail(-above) - won
    win, loss = _mills(below, low, won), _mills(-above, high, lost)
    if drawn > 0:
        score = (high - low) / drawn
        draw = Slope(score, score * score - (below * low - above * high) / drawn)
    else:
        draw = Slope(_far_draw(lead, margin), 1.0)
    return PairOutcomes((won, drawn, lost), (win, draw, Slope(-loss[0], loss[1])))


def margin_slopes(lead: float, margin: float) -> tuple[float, float, float]:
    """Return the first derivatives of the outcomes' logarithms by the margin."""
    expected = outcomes(lead, margin)
    win, _, loss = expected.slopes
    drawn = expected.probabilities[DRAW]
    both = _density(lead + margin) + _density(lead - margin)
    return -win.score, both / drawn if drawn > 0 else abs(lead) - margin, loss.score


def _tail(x: float) -> float:
    """Return the probability that normal noise is above x."""
    return 0.5 * math.erfc(x / _ROOT_2)


def _density(x: float) -> float:
    return math.exp(-x * x / 2) / _ROOT_2_PI


def _mills(x: float, density: float, probability: float) -> Slope:
    """Return the slope of the logarithm of the normal distribution at x."""
    if x < -_FAR:
        return Slope(-x - 1 / x, 1 - 1 / (x * x))
    score = density / probability
    return Slope(score, score * (score + x))


def _far_draw(lead: float, margin: float) -> float:
    return math.copysign(abs(lead) - margin, -lead)


class PlayedMatch(NamedTuple):
    """A match as the estimate reads it."""

    players: tuple[int, ...]
    """The player in each seat."""
    ranks: tuple[int, ...]
    """The rank of each seat; 0 is best. If all failed, nobody has 0, and the match tells
    nothing."""
    block: int | None = None
    """The block; its matches share their seed, so they may be alike. None: no other match is in
    it."""
    course: str | None = None
    """A fingerprint of all that happened. A match with the same players in the same seats and the
    same course is the same match played twice, and counts once; None is never a repeat."""


def telling_matches(matches: Iterable[PlayedMatch]) -> list[PlayedMatch]:
    """Return the informative matches without repeats, in a canonical order."""
    telling = sorted((match for match in matches if 0 in match.ranks), key=_order)
    seen = set()
    kept = []
    for match in telling:
        if match.course is not None:
            played = (match.players, match.ranks, match.course)
            if played in seen:
                continue
            seen.add(played)
        kept.append(match)
    return kept


def count_pairs(matches: Iterable[PlayedMatch], indices: Mapping[int, int]) -> Counts:
    """Return wins, draws and losses of all pairs that met, in the order of the pairs."""
    counts: Counts = {}
    for match in matches:
        for pair, outcome in pairs_of(match, indices):
            counts.setdefault(pair, [0, 0, 0])[outcome] += 1
    return dict(sorted(counts.items()))


def pairs_of(match: PlayedMatch, indices: Mapping[int, int]) -> Iterator[tuple[Pair, int]]:
    """Yield each pair of a match, with the outcome for the first of the pair."""
    ends = sorted(zip(map(indices.__getitem__, match.players), match.ranks, strict=True))
    for (first, rank), (second, other) in combinations(ends, 2):
        yield (first, second), DRAW if rank == other else WIN if rank < other else LOSS


def _order(match: PlayedMatch) -> tuple[int, tuple[int, ...], tuple[int, ...], str]:
    block = -1 if match.block is None else match.block
    return (block, match.players, match.ranks, match.course or "")
