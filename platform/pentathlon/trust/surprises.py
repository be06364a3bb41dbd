"""Residuals of workers: the differences between their results and the ratings' predictions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.matches.models import Match
from pentathlon_engines.strength.sprt import WIN

FEWEST_RESULTS: Final = 30
"""The fewest results that say anything about a worker."""
_MOST_RATED: Final = 500
"""How many of the latest matches are read."""
_DUEL: Final = 2


class Residual(NamedTuple):
    """The difference between one result and its prediction."""

    squared: float
    """The square of the difference between the actual and the expected share of the points."""
    variance: float
    """The mean of that square if ratings are right."""
    spread: float
    """The variance of that square."""


class Surprise(NamedTuple):
    """The sum of a worker's residuals."""

    results: int
    ratio: float
    """The squares in relation to their expectation; 1 is as much as chance explains."""
    excess: float
    """How many standard deviations the squares are above what those of all others suggest."""


def read_surprises(name: Callable[[str], str]) -> dict[str, Surprise]:
    """Return how surprising the latest rated results of slots are, by the `name` of the slot.

    Names with too few results are left out.
    """
    latest = Match.objects.recent().values_list("pk", "worker")[:_MOST_RATED]
    names = {match: name(worker) for match, worker in latest}
    found: defaultdict[str, list[Residual]] = defaultdict(list)
    for match, residual in _residuals(list(names)):
        found[names[match]].append(residual)
    return compare(found)


def compare(found: Mapping[str, Sequence[Residual]]) -> dict[str, Surprise]:
    """Compare each worker's residuals with their expectation, and with those of all others.

    Ratings that lag behind the truth make everybody's results surprising alike, so only what
    exceeds the others' ratio stands out.
    """
    totals = {name: _total(residuals) for name, residuals in found.items()}
    everything = _total(totals.values())
    surprises = {}
    for name, own in totals.items():
        if len(found[name]) < FEWEST_RESULTS or not own.variance:
            continue
        others = Residual(*(whole - part for whole, part in zip(everything, own, strict=True)))
        usual = max(1.0, others.squared / others.variance) if others.variance > 0 else 1.0
        deviation = math.sqrt(usual * own.spread)
        beyond = own.squared - usual * own.variance
        excess = beyond / deviation if deviation else 0.0
        surprises[name] = Surprise(len(found[name]), own.squared / own.variance, excess)
    return surprises


def _total(residuals: Iterable[Residual]) -> Residual:
    columns = list(zip(*residuals, strict=True)) or [(), (), ()]
    return Residual(*map(math.fsum, columns))


def _residuals(matches: Sequence[int]) -> Iterator[tuple[int, Residual]]:
    """Yield the residuals of rated duels whose meetings have been counted."""
    duels = Meeting.objects.filter(match__in=matches, seats=_DUEL, seat=0, expected__isnull=False)
    columns = ("match", "half_points", "expected", "variance")
    for match, points, expected, variance in duels.values_list(*columns):
        yield match, _residual(points / WIN, expected / MILLION, variance / MILLION)


def _residual(points: float, share: float, variance: float) -> Residual:
    # This is the spread of wins and losses; draws are rare and spread less.
    spread = variance * (1 - 2 * share) ** 2
    return Residual((points - share) ** 2, variance, spread)
