"""Statistics of ratings: intervals, the chance of being best, and groups that are level."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pentathlon.ratings.skill import MU, Skill
from pentathlon_engines.strength.best import Z_95

PROVISIONAL_SIGMA = 1.9
"""Above this, for about the first 30 matches of two, a place in a live table says little."""
ORDER_FACTOR = 1.25
"""Widens intervals: live ratings depend on the order of results, which their sigma ignores.
Without this factor, 86 to 93 % of 95 % intervals held the truth; `bench ratings` measures it."""

_REACH = 8.0  # standard deviations; beyond it a normal distribution adds nothing to a float


class StrengthBar(NamedTuple):
    """A strength with its 95 % interval; results tell differences only, so 25 is the mean."""

    strength: float
    reach: float
    """Half the width of the interval."""

    @property
    def low(self) -> float:
        """The lower bound."""
        return self.strength - self.reach

    @property
    def high(self) -> float:
        """The upper bound."""
        return self.strength + self.reach


def live_bar(skill: Skill, *, mean: float) -> StrengthBar:
    """Return the bar of a live rating; `mean` is that of all rated versions of its pool."""
    return StrengthBar(MU + skill.mu - mean, half_width(skill.sigma))


class Odds(NamedTuple):
    """How often a version finishes ahead of an average one of its pool."""

    sure: float
    """What it does at least, by mu - 3 sigma: live tables are in the order of this figure."""
    likely: float
    most: float


def sure_odds(score: float, *, mean: float, beta: float) -> float:
    """Return how often a version of this strength finishes ahead of an average one."""
    return 0.5 * math.erfc((mean - score) / (2 * beta))


def live_odds(skill: Skill, *, mean: float, beta: float) -> Odds:
    """Return the odds of a live rating; `mean` is that of all rated versions of its pool."""
    return Odds(*(sure_odds(skill.mu + z * skill.sigma, mean=mean, beta=beta) for z in (-3, 0, 3)))


def final_bar(skill: Skill) -> StrengthBar:
    """Return the bar of a strength in a final table, which is a difference to the mean already."""
    return StrengthBar(skill.mu, Z_95 * skill.sigma)


def mean_of(skills: Iterable[Skill]) -> float:
    """Return the mean strength of a field."""
    strengths = [skill.mu for skill in skills]
    return math.fsum(strengths) / len(strengths) if strengths else MU


def half_width(sigma: float) -> float:
    """Return half the width of a live rating's 95 % interval; all pages take it from here."""
    return Z_95 * ORDER_FACTOR * sigma


def is_provisional(skill: Skill) -> bool:
    """Return whether too few results stand behind a rating."""
    return skill.sigma > PROVISIONAL_SIGMA


def is_level(first: Skill, second: Skill) -> bool:
    """Return whether two live ratings cannot be told apart with 95 % confidence."""
    return abs(first.mu - second.mu) < half_width(math.hypot(first.sigma, second.sigma))


def groups(skills: Sequence[Skill]) -> list[int]:
    """Return a group from 1 for each row of a table: all groups can be told apart.

    A row opens a new group when nobody above is level with it or with anybody below.
    """
    numbers: list[int] = []
    last_level = -1  # the last row that somebody above is level with
    for row, skill in enumerate(skills):
        opens = row > last_level
        numbers.append((numbers[-1] if numbers else 0) + opens)
        level = (
            other
            for other in range(len(skills) - 1, max(row, last_level), -1)
            if is_level(skill, skills[other])
        )
        last_level = max(last_level, row, next(level, row))
    return numbers


def chances_of_best(skills: Sequence[Skill]) -> list[float]:
    """Return for each version the probability that it is the strongest of all.

    Integrates on one grid, half the narrowest sigma apart: for so smooth a function the sum is
    exact to far more digits than anybody shows, and unlike sampling it needs no seed.
    """
    if not skills:
        return []
    low = max(skill.mu - _REACH * skill.sigma for skill in skills)
    high = max(skill.mu + _REACH * skill.sigma for skill in skills)
    step = min(skill.sigma for skill in skills) / 2
    shares = [0.0] * len(skills)
    for point in range(math.ceil((high - low) / step) + 1):
        _add_shares(shares, skills, low + point * step)
    total = math.fsum(shares)
    return [share / total for share in shares]


def _add_shares(shares: list[float], skills: Sequence[Skill], x: float) -> None:
    """Add for each `i` the density of its being at `x` with all others below."""
    depths = [(x - skill.mu) / skill.sigma for skill in skills]
    below = [0.5 * math.erfc(-depth / math.sqrt(2)) for depth in depths]
    all_below = math.prod(below)
    for index, (skill, depth) in enumerate(zip(skills, depths, strict=True)):
        density = math.exp(-depth * depth / 2) / skill.sigma
        shares[index] += density * all_below / below[index]
