"""Strengths from all results at once, whatever order they came in.

The maximum a posteriori of Thurstone and Mosteller's model with draws, by Newton's method over the
counts of wins, draws and losses of each pair. A table of more than two counts as all its pairs (a
composite likelihood). The covariance is the inverse of the curvature times one dispersion factor.

Results tell differences only, so the mean of all strengths is `MU`, and a standard deviation is
that of the difference to this mean. `python3 manage.py bench ratings` measures how often such
intervals hold the truth.

Estimates how much more or less results vary than the model assumes.

Matches with one seed are alike, and the same two bots may play the same match again, so counting
matches as independent gives intervals that are too narrow or too wide. The dispersion factor
compares how far whole clusters of matches are from what was expected with how far they should be
(McCullagh and Nelder, Generalized Linear Models, chapter 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pentathlon_engines.strength import pair_model
from pentathlon_engines.strength.cholesky import Matrix, cholesky, inverse, solve

Outlook = Mapping[pair_model.Pair, pair_model.PairOutcomes]
"""What the estimate expects of each pair that met."""

_CLUSTERS_TO_WIDEN: Final = 20
_CLUSTERS_TO_NARROW: Final = 200
"""Clusters that vary as expected, added because few clusters say little. Narrower intervals need
more evidence: with 20 for both, 90 % of the intervals of eight bots that repeat themselves held
the truth instead of 95 %."""
_TWO: Final = 2
MU: Final = 25.0
SIGMA: Final = 25.0 / 3
"""The standard deviation of everybody's strength before the first result."""
BETA: Final = 25.0 / 6
"""The standard deviation of one performance, its noise."""
_LAST_STEP: Final = 1e-7
"""A step shorter than this is the last: the error after a step is about its square."""
_LARGEST_STEP: Final = 2.0
_MOST_STEPS: Final = 100
_SMALL_SLOPE: Final = 1e-9
_DRAWS: Final = (0.005, 0.5)
"""The bounds between which a draw probability is searched."""
_MARGINS: Final = (pair_model.draw_margin(_DRAWS[0]), pair_model.draw_margin(_DRAWS[1]))


def dispersion(
    matches: Sequence[pair_model.PlayedMatch],
    *,
    indices: Mapping[int, int],
    outlook: Outlook,
    covariance: Matrix,
) -> float:
    """Return the factor by which the covariance must be multiplied."""
    if all(len(match.players) == _TWO for match in matches):
        by_block = _of_pairs(matches, indices, outlook, lambda match: match.block)
        by_pair = _of_pairs(matches, indices, outlook, lambda _: 0)
        return max(by_block, by_pair)
    return _of_tables(matches, indices, outlook, covariance)


def _of_pairs(
    matches: Sequence[pair_model.PlayedMatch],
    indices: Mapping[int, int],
    outlook: Outlook,
    label: Callable[[pair_model.PlayedMatch], int | None],
) -> float:
    """Compare the scores of clusters of one pair's matches with what was expected of them."""
    scores: dict[object, list[float]] = {}
    information = []
    for number, match in enumerate(matches):
        ((pair, outcome),) = pair_model.pairs_of(match, indices)
        mark = label(match)
        # A match without a block stands for itself.
        cluster = (pair, mark) if mark is not None else number
        scores.setdefault(cluster, []).append(outlook[pair].slopes[outcome].score)
        information.append(outlook[pair].information)
    freedom = len(scores) - len(indices) + 1
    if freedom <= 0 or not scores:
        return 1.0
    seen = math.fsum(math.fsum(parts) ** 2 for parts in scores.values())
    expected = math.fsum(information)
    return _shrunk(seen / expected * len(scores) / freedom, freedom)


def _of_tables(
    matches: Sequence[pair_model.PlayedMatch],
    indices: Mapping[int, int],
    outlook: Outlook,
    covariance: Matrix,
) -> float:
    """Compare the scores of blocks with the curvature, over all directions at once.

    The pairs of a table are not independent matches, so the curvature promises too much.
    """
    clusters: dict[object, dict[int, list[float]]] = {}
    for number, match in enumerate(matches):
        cluster = ("match", number) if match.block is None else ("block", match.block)
        scores = clusters.setdefault(cluster, {})
        for pair, outcome in pair_model.pairs_of(match, indices):
            score = outlook[pair].slopes[outcome].score
            scores.setdefault(pair[0], []).append(score)
            scores.setdefault(pair[1], []).append(-score)
    fitted = len(indices) - 1
    # A block tells only about differences among its players.
    directions = sum(len(scores) - 1 for scores in clusters.values())
    if fitted <= 0 or directions <= fitted:
        return 1.0
    seen = math.fsum(_length(scores, covariance) for scores in clusters.values())
    # The strengths were fitted to these results, so the results vary too little around them.
    factor = seen / fitted * directions / (directions - fitted)
    return _shrunk(factor, len(clusters))


def _length(scores: Mapping[int, Sequence[float]], covariance: Matrix) -> float:
    """Return how far a cluster's scores are from zero, measured by the covariance."""
    sums = [(index, math.fsum(parts)) for index, parts in sorted(scores.items())]
    return math.fsum(
        covariance[first][second] * one * other for first, one in sums for second, other in sums
    )


def _shrunk(factor: float, clusters: int) -> float:
    added = _CLUSTERS_TO_WIDEN if factor > 1 else _CLUSTERS_TO_NARROW
    return (factor * clusters + added) / (clusters + added)


@dataclass(frozen=True, slots=True, kw_only=True)
class Strengths:
    """Estimated strengths and their uncertainty."""

    players: tuple[int, ...]
    """The players in ascending order; everything else is in the same order."""
    mu: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    """The covariance of the differences to the mean of all players of the estimate."""
    dispersion: float = 1.0
    draw_probability: float = 0.1
    matches: int = 0
    """How many matches told something, without repeats."""
    repeats: int = 0

    def sigma(self, index: int) -> float:
        """Return the standard deviation of a player's difference to the mean."""
        return math.sqrt(max(0.0, self.covariance[index][index]))

    def deviation(self, first: int, second: int) -> float:
        """Return the standard deviation of the difference of two, given by their indices."""
        rows = self.covariance
        variance = math.fsum((rows[first][first], rows[second][second], -2 * rows[first][second]))
        return math.sqrt(max(0.0, variance))

    def only(self, players: Iterable[int]) -> Strengths:
        """Return the same numbers for some of the players."""
        kept = sorted(set(players))
        indices = {player: index for index, player in enumerate(self.players)}
        places = [indices[player] for player in kept]
        rows = (self.covariance[place] for place in places)
        return replace(
            self,
            players=tuple(kept),
            mu=tuple(self.mu[place] for place in places),
            covariance=tuple(tuple(row[other] for other in places) for row in rows),
        )


def fit(
    matches: Iterable[pair_model.PlayedMatch],
    *,
    players: Iterable[int] = (),
    draw_probability: float | None,
    beta: float = BETA,
) -> Strengths:
    """Return the strengths that explain the matches best, of the players in them and in `players`.

    `draw_probability` is that of two equals; with None, the one that explains the draws best is
    searched for.
    """
    given = list(matches)
    telling = pair_model.telling_matches(given)
    names = sorted({*players, *(player for match in telling for player in match.players)})
    indices = {name: index for index, name in enumerate(names)}
    unit = math.sqrt(2) * beta  # the noise of a difference
    posterior = _Posterior(
        pair_model.count_pairs(telling, indices), len(names), (unit / SIGMA) ** 2
    )
    if draw_probability is None:
        draw_probability = posterior.search_draws()
    margin = pair_model.draw_margin(draw_probability)
    posterior.climb(margin)
    outlook = posterior.outlook(margin)
    spread = posterior.covariance(outlook)
    factor = dispersion(telling, indices=indices, outlook=outlook, covariance=spread)
    scale = unit * unit * factor
    return Strengths(
        players=tuple(names),
        mu=tuple(MU + unit * place for place in posterior.places),
        covariance=tuple(tuple(scale * value for value in row) for row in spread),
        dispersion=factor,
        draw_probability=draw_probability,
        matches=len(telling),
        repeats=sum(0 in match.ranks for match in given) - len(telling),
    )


class _Posterior:
    """Strengths in units of the noise of a difference, from 0, and the way up to the maximum."""

    def __init__(self, counts: pair_model.Counts, size: int, prior: float) -> None:
        self._counts = counts
        self._prior = prior
        self.places = [0.0] * size

    def outlook(self, margin: float) -> Outlook:
        """Return the expected outcomes of each pair that met."""
        return {
            (first, second): pair_model.outcomes(self.places[first] - self.places[second], margin)
            for first, second in self._counts
        }

    def climb(self, margin: float) -> None:
        """Go to the maximum, by Newton's method.

        Raises:
            ArithmeticError: it was not found.
        """
        for _ in range(_MOST_STEPS):
            gradient, curvature = self._derivatives(self.outlook(margin))
            steps = solve(cholesky(curvature), gradient)
            longest = max(map(abs, steps), default=0.0)
            # Far from the maximum a quadratic says little.
            share = min(1.0, _LARGEST_STEP / longest) if longest else 1.0
            moved = [place + share * step for place, step in zip(self.places, steps, strict=True)]
            self.places = _around_zero(moved)
            if longest < _LAST_STEP:
                return
        raise ArithmeticError("the strengths do not converge")

    def covariance(self, outlook: Outlook) -> Matrix:
        """Return the inverse of the curvature, for differences to the mean."""
        _, curvature = self._derivatives(outlook)
        return _centred(inverse(cholesky(curvature)))

    def search_draws(self) -> float:
        """Return the draw probability that explains the results best, within bounds.

        The logarithm of the posterior is concave, so its slope along the margin falls and
        crosses zero once: regula falsi, with the Illinois rule.
        """
        (low, high), slopes = _MARGINS, [self._slope(margin) for margin in _MARGINS]
        if slopes[0] <= 0 or slopes[1] >= 0:
            return _DRAWS[0] if slopes[0] <= 0 else _DRAWS[1]
        while high - low > _SMALL_SLOPE:
            between = (low * slopes[1] - high * slopes[0]) / (slopes[1] - slopes[0])
            slope = self._slope(between)
            if abs(slope) < _SMALL_SLOPE or not low < between < high:
                return pair_model.draws_within(between)
            if slope > 0:
                low, slopes = between, [slope, slopes[1] / 2]
            else:
                high, slopes = between, [slopes[0] / 2, slope]
        return pair_model.draws_within(low)

    def _slope(self, margin: float) -> float:
        """Return how the height of the maximum changes with the margin."""
        self.climb(margin)
        return math.fsum(
            times * slope
            for (first, second), counted in self._counts.items()
            for times, slope in zip(
                counted,
                pair_model.margin_slopes(self.places[first] - self.places[second], margin),
                strict=True,
            )
        )

    def _derivatives(self, outlook: Outlook) -> tuple[list[float], list[list[float]]]:
        """Return gradient and curvature (minus the second derivatives) of the log posterior."""
        size = len(self.places)
        pulls = [[-self._prior * place] for place in self.places]
        bends = [[self._prior] for _ in range(size)]
        rows = [[0.0] * size for _ in range(size)]
        for (first, second), (wins, draws, losses) in self._counts.items():
            win, draw, loss = outlook[first, second].slopes
            pull = wins * win.score + draws * draw.score + losses * loss.score
            bend = wins * win.curvature + draws * draw.curvature + losses * loss.curvature
            pulls[first].append(pull)
            pulls[second].append(-pull)
            bends[first].append(bend)
            bends[second].append(bend)
            rows[first][second] = rows[second][first] = -bend
        for index, parts in enumerate(bends):
            rows[index][index] = math.fsum(parts)
        return [math.fsum(parts) for parts in pulls], rows


def _around_zero(places: Sequence[float]) -> list[float]:
    """Take out the mean, which only rounding moves."""
    mean = math.fsum(places) / max(1, len(places))
    return [place - mean for place in places]


def _centred(covariance: Sequence[Sequence[float]]) -> list[list[float]]:
    """Return the covariance of the differences to the mean of all."""
    size = max(1, len(covariance))
    means = [math.fsum(row) / size for row in covariance]
    mean = math.fsum(means) / size
    return [
        [
            math.fsum((value, -means[first], -means[second], mean))
            for second, value in enumerate(row)
        ]
        for first, row in enumerate(covariance)
    ]
