"""Estimates how much more or less results vary than the model assumes.

Matches with one seed are alike, and the same two bots may play the same match again, so counting
matches as independent gives intervals that are too narrow or too wide. The dispersion factor
compares how far whole clusters of matches are from what was expected with how far they should be
(McCullagh and Nelder, Generalized Linear Models, chapter 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from pentathlon_engines.strength.cholesky import Matrix
from pentathlon_engines.strength.pair_model import PairOutcomes
from pentathlon_engines.strength.played_matches import Pair, PlayedMatch, pairs_of

Outlook = Mapping[Pair, PairOutcomes]
"""What the estimate expects of each pair that met."""

_CLUSTERS_TO_WIDEN: Final = 20
_CLUSTERS_TO_NARROW: Final = 200
"""Clusters that vary as expected, added because few clusters say little. Narrower intervals need
more evidence: with 20 for both, 90 % of the intervals of eight bots that repeat themselves held
the truth instead of 95 %."""
_TWO: Final = 2


def dispersion(
    matches: Sequence[PlayedMatch],
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
    matches: Sequence[PlayedMatch],
    indices: Mapping[int, int],
    outlook: Outlook,
    label: Callable[[PlayedMatch], int | None],
) -> float:
    """Compare the scores of clusters of one pair's matches with what was expected of them."""
    scores: dict[object, list[float]] = {}
    information = []
    for number, match in enumerate(matches):
        ((pair, outcome),) = pairs_of(match, indices)
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
    matches: Sequence[PlayedMatch],
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
        for pair, outcome in pairs_of(match, indices):
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
