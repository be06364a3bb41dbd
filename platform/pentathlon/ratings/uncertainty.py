"""What ratings allow us to say: intervals, the chance of being best, and who is level."""

import math
from collections.abc import Sequence

from pentathlon.ratings.skill import Skill

Z_95 = 1.96
PROVISIONAL_SIGMA = 1.9
"""Above it, about the first 30 matches for two, a place in a live table says little."""

_REACH = 8.0  # standard deviations; beyond it a normal distribution adds nothing to a float


def half_width(sigma: float) -> float:
    """Return half the width of a 95 % interval; API, pages and commands take it from here."""
    return Z_95 * sigma


def interval(skill: Skill) -> tuple[float, float]:
    """Return the bounds that hold the true strength with 95 % probability."""
    reach = half_width(skill.sigma)
    return skill.mu - reach, skill.mu + reach


def is_provisional(skill: Skill) -> bool:
    """Tell whether too few results stand behind a rating."""
    return skill.sigma > PROVISIONAL_SIGMA


def is_level(first: Skill, second: Skill) -> bool:
    """Tell whether two cannot be told apart with 95 % confidence."""
    return abs(first.mu - second.mu) < Z_95 * math.hypot(first.sigma, second.sigma)


def groups(skills: Sequence[Skill]) -> list[int]:
    """Return a group number from 1 for each row of a table, best first.

    A row opens a new group when it can be told apart from the first row of the current one.
    """
    numbers: list[int] = []
    leader = None
    for skill in skills:
        if leader is None or not is_level(leader, skill):
            leader = skill
            numbers.append(numbers[-1] + 1 if numbers else 1)
        else:
            numbers.append(numbers[-1])
    return numbers


def chances_of_best(skills: Sequence[Skill]) -> list[float]:
    """Return for each one the probability that it is the strongest of all.

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
    """Add the density of `i` being at x with all others below it, for each i."""
    depths = [(x - skill.mu) / skill.sigma for skill in skills]
    below = [0.5 * math.erfc(-depth / math.sqrt(2)) for depth in depths]
    all_below = math.prod(below)
    for index, (skill, depth) in enumerate(zip(skills, depths, strict=True)):
        density = math.exp(-depth * depth / 2) / skill.sigma
        shares[index] += density * all_below / below[index]
