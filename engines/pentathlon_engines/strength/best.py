"""Chances of being the best, rank intervals, and who should meet to find out.

Chooses which two players meet next, to find out soon who is the best.

T3C: draw strengths from what is known, take the strongest player as the leader, and let it meet
the player most easily confused with it (Shang, de Heide, Kaufmann, Ménard and Valko 2020).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import mul
from statistics import NormalDist
from typing import Final, NamedTuple

from pentathlon_engines.seeds import draw
from pentathlon_engines.strength.cholesky import Triangle, cholesky
from pentathlon_engines.strength.thurstone import Strengths

Z_95: Final = 1.96
"""Half the width of a 95 % interval, in standard deviations."""

_DRAWS: Final = 4096
_MOST_WORK: Final = 10**8
"""The most draws times contenders squared, where there are many contenders: about a second."""
_SHIFTS: Final = 8
_OUT_OF_REACH: Final = 5.0
"""Standard deviations behind the leader beyond which nobody is a contender."""
_NORMAL: Final = NormalDist()
_KEY: Final = bytes(32)
_ENDS: Final = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class BestChances:
    """For each player the probability of being the strongest, and how exact that is."""

    chances: tuple[float, ...]
    """The chance of each player, in the order of the players; their sum is 1."""
    error: float
    """The largest standard error of a chance."""


class RankInterval(NamedTuple):
    """The ranks that a player may have in truth."""

    best: int
    worst: int

    def __str__(self) -> str:
        """Return the ranks as tables show them: "2" or "2–5"."""
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


def joint_factor(strengths: Strengths, order: Sequence[int]) -> Triangle:
    """Return the Cholesky factor of the covariance of players in this order, by their indices.

    The covariance of differences to a mean is singular in one direction. What is added there moves
    all players alike, so it does not change who is ahead of whom.
    """
    rows = strengths.covariance
    common = math.fsum(rows[index][index] for index in order) / max(1, len(order)) or 1.0
    return cholesky([[rows[one][other] + common for other in order] for one in order])


def chances_of_best(strengths: Strengths, *, draws: int = _DRAWS) -> BestChances:
    """Return the probability that each player is the strongest, by the joint distribution.

    Draws are a lattice (Richtmyer's) with eight fixed shifts and its mirror image, so the same
    strengths give the same chances. Differences between shifts show how inexact the chances are.
    """
    size = len(strengths.players)
    order = _contenders(strengths)
    if len(order) <= 1:
        return BestChances(chances=(1.0,) * size if size == 1 else _only(order, size), error=0.0)
    factor = joint_factor(strengths, order)
    means = [strengths.mu[index] for index in order]
    points = max(1, min(draws, _MOST_WORK // len(order) ** 2) // (2 * _SHIFTS))
    shares = [_shares(factor, means, points, shift) for shift in range(_SHIFTS)]
    chances = [0.0] * size
    error = 0.0
    for place, index in enumerate(order):
        seen = [share[place] for share in shares]
        chances[index] = math.fsum(seen) / _SHIFTS
        variance = math.fsum((one - chances[index]) ** 2 for one in seen) / (_SHIFTS - 1)
        error = max(error, math.sqrt(variance / _SHIFTS))
    return BestChances(chances=tuple(chances), error=error)


def are_separable(strengths: Strengths, first: int, second: int) -> bool:
    """Return whether two players, given by index, differ with 95 % confidence."""
    lead = abs(strengths.mu[first] - strengths.mu[second])
    return lead >= Z_95 * strengths.deviation(first, second) and lead > 0


def wilson(points: float, matches: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of the share of points; the whole range if nothing was played.

    >>> [round(bound, 3) for bound in wilson(7.5, 10)]
    [0.442, 0.919]
    """
    if not matches:
        return 0.0, 1.0
    share, square = points / matches, Z_95**2
    middle = (share + square / (2 * matches)) / (1 + square / matches)
    inside = share * (1 - share) / matches + square / (4 * matches**2)
    reach = Z_95 * math.sqrt(inside) / (1 + square / matches)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def rank_intervals(strengths: Strengths) -> list[RankInterval]:
    """Return each player's rank interval, by which players can be told apart from it."""
    size = len(strengths.players)
    above, below = [0] * size, [0] * size
    for first in range(size):
        for second in range(first):
            if are_separable(strengths, first, second):
                ahead = strengths.mu[first] > strengths.mu[second]
                better, worse = (first, second) if ahead else (second, first)
                above[worse] += 1
                below[better] += 1
    return [RankInterval(1 + up, size - down) for up, down in zip(above, below, strict=True)]


def groups(strengths: Strengths) -> list[int]:
    """Return a group from 1 for each player; players of different groups can be told apart.

    Within a group, some players cannot be told apart; rank intervals say which.
    """
    size = len(strengths.players)
    order = by_strength(strengths)
    numbers = [1] * size
    last_level = 0  # the last place that is level with one above it
    number = 1
    for place, index in enumerate(order):
        if place > last_level:
            number += 1
        numbers[index] = number
        level = (
            other
            for other in range(size - 1, place - 1, -1)
            if other == place or not are_separable(strengths, index, order[other])
        )
        last_level = max(last_level, next(level))
    return numbers


def by_strength(strengths: Strengths) -> list[int]:
    """Return the indices of the players, strongest first; equals in the order of the players."""
    return sorted(range(len(strengths.mu)), key=lambda index: (-strengths.mu[index], index))


def _contenders(strengths: Strengths) -> list[int]:
    """Return the indices of those who may be the best, strongest first."""
    order = by_strength(strengths)
    return [
        index
        for index in order
        if strengths.mu[order[0]] - strengths.mu[index]
        <= _OUT_OF_REACH * strengths.deviation(order[0], index)
    ]


def _only(order: Sequence[int], size: int) -> tuple[float, ...]:
    return tuple(float(index in order) for index in range(size))


def _shares(factor: Triangle, means: Sequence[float], points: int, shift: int) -> list[float]:
    """Return how often each is the strongest in one shifted lattice."""
    wins = [0.0] * len(means)
    for point in _lattice(len(means), points, shift):
        moves = [math.fsum(map(mul, row, point)) for row in factor]
        for sign in (1.0, -1.0):
            values = [mean + sign * move for mean, move in zip(means, moves, strict=True)]
            wins[values.index(max(values))] += 1
    return [count / (2 * points) for count in wins]


def _lattice(dimensions: int, points: int, shift: int) -> Iterator[list[float]]:
    """Yield points of a normal distribution that fill it evenly."""
    steps = [math.sqrt(prime) % 1.0 for prime in _primes(dimensions)]
    starts = [draw(_KEY, "shift", shift, axis) / 2**53 for axis in range(dimensions)]
    for number in range(1, points + 1):
        parts = ((start + number * step) % 1.0 for start, step in zip(starts, steps, strict=True))
        yield [_NORMAL.inv_cdf(part or 0.5) for part in parts]


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes if prime * prime <= number):
            primes.append(number)
        number += 1
    return primes


def next_pair(strengths: Strengths, *, key: bytes, turn: int) -> tuple[int, int]:
    """Return the leader and the challenger, as players.

    `turn` counts the pairs of a tournament: every turn draws again from the event key.

    Raises:
        ValueError: there are fewer than two players.
    """
    size = len(strengths.players)
    if size <= 1:
        raise ValueError("a pair needs two players")
    leader = _leader(strengths, key, turn)
    costs = [
        (_cost(strengths, leader, other), draw(key, "challenger", turn, other), other)
        for other in range(size)
        if other != leader
    ]
    challenger = min(costs)[-1]
    return strengths.players[leader], strengths.players[challenger]


def _leader(strengths: Strengths, key: bytes, turn: int) -> int:
    """Return the index of the strongest player in one draw of all strengths."""
    size = len(strengths.players)
    parts = (draw(key, "leader", turn, index) for index in range(size))
    point = [_NORMAL.inv_cdf((part + 0.5) / _ENDS) for part in parts]
    factor = joint_factor(strengths, range(size))
    values = [
        mu + math.fsum(map(mul, row, point)) for mu, row in zip(strengths.mu, factor, strict=True)
    ]
    return values.index(max(values))


def _cost(strengths: Strengths, leader: int, other: int) -> float:
    """Return how much evidence there is against the other player being the stronger one."""
    lead = strengths.mu[leader] - strengths.mu[other]
    deviation = strengths.deviation(leader, other)
    return (lead / deviation) ** 2 if lead > 0 and deviation else 0.0
