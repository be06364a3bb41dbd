"""TrueSkill as this project uses it: pure functions over plain floats.

A bot version never changes, so skills do not drift (tau = 0). Every step starts from the floats
that are stored, so folding the same results in the same order gives the same bits each time.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

from trueskill import Rating, TrueSkill

MU = 25.0
SIGMA = 25.0 / 3
BETA = 25.0 / 6
"""A lead of one beta in skill wins about 76 of 100 matches."""
ALGORITHM_VERSION = 1
"""Raised by every change here that changes a rating."""

_NORMAL = NormalDist()
_TAIL = 30.0  # standard deviations; densities leave the range of a float near 38


@dataclass(frozen=True, slots=True)
class Skill:
    """What is known of a bot version's strength: a normal distribution."""

    mu: float = MU
    sigma: float = SIGMA


@dataclass(frozen=True, slots=True)
class Result:
    """How one match ended: who sat at which seat, and the rank of each seat (0 = best)."""

    players: tuple[int, ...]
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Forecast:
    """How a match between two is likely to end, from the first one's view."""

    win: float
    draw: float
    loss: float


def rate(skills: Sequence[Skill], ranks: Sequence[int], *, draw_probability: float) -> list[Skill]:
    """Return the skills after one match; both sequences are in the order of the seats.

    That order matters to the last bits when players tie, so it must not be left to chance.
    """
    groups = [(Rating(skill.mu, skill.sigma),) for skill in skills]
    rated = _environment(draw_probability).rate(groups, ranks=ranks)
    return [Skill(rating.mu, rating.sigma) for (rating,) in rated]


def fold(
    results: Iterable[Result],
    *,
    draw_probability: float,
    start: Mapping[int, Skill] | None = None,
) -> dict[int, Skill]:
    """Return everybody's skill after `results` in the order given."""
    skills = dict(start or {})
    for result in results:
        before = [skills.get(player, Skill()) for player in result.players]
        after = rate(before, result.ranks, draw_probability=draw_probability)
        skills.update(zip(result.players, after, strict=True))
    return skills


def forecast(first: Skill, second: Skill, *, draw_probability: float) -> Forecast:
    """Return how a match between two is likely to end."""
    margin = _NORMAL.inv_cdf((draw_probability + 1) / 2) * math.sqrt(2) * BETA
    spread = math.sqrt(2 * BETA**2 + first.sigma**2 + second.sigma**2)
    lead = first.mu - second.mu
    win = _cdf((lead - margin) / spread)
    loss = _cdf((-lead - margin) / spread)
    return Forecast(win, max(0.0, 1 - win - loss), loss)


def draw_probability(*, draws: int, pairs: int) -> float:
    """Return a game's draw probability after `draws` in `pairs` comparisons of neighbours.

    Never 0: a draw that was thought impossible would make skills less certain, not more.
    """
    return min(max((draws + 1) / (pairs + 10), 0.005), 0.5)


def _cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def _pdf(x: float) -> float:
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


class _Environment(TrueSkill):
    """The package's rules with exact normal functions, which hold at any distance.

    Its own are a fit good to seven digits, and it refuses results beyond about 38 standard
    deviations, which a bot that crashes in every match reaches.
    """

    def __init__(self, draw_probability: float) -> None:
        super().__init__(
            mu=MU,
            sigma=SIGMA,
            beta=BETA,
            tau=0.0,
            draw_probability=draw_probability,
            backend=(_cdf, _pdf, _NORMAL.inv_cdf),
        )

    def v_win(self, diff: float, draw_margin: float) -> float:
        distance = draw_margin - diff
        if distance > _TAIL:
            return distance + _excess(distance)
        return float(super().v_win(diff, draw_margin))

    def w_win(self, diff: float, draw_margin: float) -> float:
        distance = draw_margin - diff
        if distance > _TAIL:
            excess = _excess(distance)
            return (distance + excess) * excess
        return 0.0 if distance < -_TAIL else float(super().w_win(diff, draw_margin))

    def v_draw(self, diff: float, draw_margin: float) -> float:
        if abs(diff) - draw_margin > _TAIL:
            return math.copysign(_far_draw(abs(diff), draw_margin)[0], -diff)
        return float(super().v_draw(diff, draw_margin))

    def w_draw(self, diff: float, draw_margin: float) -> float:
        if abs(diff) - draw_margin > _TAIL:
            return _far_draw(abs(diff), draw_margin)[1]
        return float(super().w_draw(diff, draw_margin))


@lru_cache(maxsize=64)
def _environment(draw_probability: float) -> _Environment:
    return _Environment(draw_probability)


def _excess(distance: float) -> float:
    """Return how far beyond `distance` the mean of a normal tail lies, by Laplace's fraction."""
    fraction = distance
    for term in range(12, 1, -1):
        fraction = distance + term / fraction
    return 1 / fraction


def _far_draw(distance: float, margin: float) -> tuple[float, float]:
    """Return the size of v, and w, of a draw that far from expected."""
    near, far = distance - margin, distance + margin
    ratio = math.exp((near - far) * (near + far) / 2)
    mass = 1 / (near + _excess(near)) - ratio / (far + _excess(far))
    v = (1 - ratio) / mass
    return v, v * v - (near - ratio * far) / mass
