"""Strength over time as a drawing: one line with its band for every version of a bot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor
from operator import itemgetter

from pentathlon.ratings.models import Rating, RatingChange
from pentathlon.ratings.skill import MU, SIGMA

_MOST_POINTS = 150
_WIDTH, _HEIGHT = 1000.0, 100.0
_MOST_RULES = 6

Point = tuple[int, float, float]
"""Rated matches of the bot so far, mu and sigma."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One version: its line, its band, and where its name stands."""

    version: int
    path: str
    band: str
    is_old: bool
    end_x: str
    end_y: str
    mu: float
    sigma: float
    matches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A horizontal line of the grid."""

    y: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Lines in a box of 1,000 by 100; labels in percent of the real size."""

    lines: list[Line]
    rules: list[Rule]
    matches: int


def rating_chart(*, bot_id: int, pool_key: str) -> Chart | None:
    """Draw all versions of a bot in one pool; None before the first rated match.

    However long a history is, few of its points are read, and the last one is the rating.
    """
    rows = RatingChange.objects.landmarks(pool_key=pool_key, bot_id=bot_id)
    points = rows.values_list("version__number", "nth", "mu_after", "sigma_after")
    seen = {
        number: [(nth, mu, sigma) for _, nth, mu, sigma in part if nth is not None]
        for number, part in groupby(points, key=itemgetter(0))
    }
    ratings = Rating.objects.filter(version__bot=bot_id, pool__key=pool_key, matches__gt=0)
    ends = ratings.values_list("version__number", "matches", "mu", "sigma").order_by()
    histories = {
        number: _history(seen.get(number, []), (matches, mu, sigma))
        for number, matches, mu, sigma in ends
    }
    return _chart(histories) if histories else None


def _history(seen: Sequence[Point], end: Point) -> list[Point]:
    """Return the points of one version from the prior to the rating, about evenly spread."""
    step = ceil(end[0] / _MOST_POINTS)
    points = [(0, MU, SIGMA)]
    for point in seen:
        if point[0] - points[-1][0] >= step and point[0] < end[0]:
            points.append(point)
    return [*points, end]


def _chart(histories: dict[int, list[Point]]) -> Chart:
    newest = max(histories)
    # Early bands would squeeze all that follows: only the last one counts for the scale.
    low = min(_lowest(points) for points in histories.values())
    high = max(_highest(points) for points in histories.values())
    bottom, top = 5.0 * floor(low / 5), 5.0 * ceil(high / 5)
    last = max(points[-1][0] for points in histories.values())
    scale = _Scale(bottom=bottom, top=top, last=last)
    return Chart(
        lines=[
            _line(number, points, scale, is_old=number != newest)
            for number, points in sorted(histories.items())
        ],
        rules=_rules(scale),
        matches=last,
    )


def _lowest(points: Sequence[Point]) -> float:
    _, mu, sigma = points[-1]
    return min(mu - 2 * sigma, *(mu for _, mu, _ in points))


def _highest(points: Sequence[Point]) -> float:
    _, mu, sigma = points[-1]
    return max(mu + 2 * sigma, *(mu for _, mu, _ in points))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    bottom: float
    top: float
    last: int

    def x(self, count: int) -> float:
        return _WIDTH * count / max(self.last, 1)

    def y(self, strength: float) -> float:
        share = (self.top - strength) / (self.top - self.bottom)
        return min(_HEIGHT, max(0.0, _HEIGHT * share))


def _line(number: int, points: Sequence[Point], scale: _Scale, *, is_old: bool) -> Line:
    count, mu, sigma = points[-1]
    upper = [(scale.x(n), scale.y(m + 2 * s)) for n, m, s in points]
    lower = [(scale.x(n), scale.y(m - 2 * s)) for n, m, s in reversed(points)]
    return Line(
        version=number,
        path=_path([(scale.x(n), scale.y(m)) for n, m, _ in points]),
        band=_path([*upper, *lower]) + "Z",
        is_old=is_old,
        end_x=f"{scale.x(count) / _WIDTH * 100:.1f}%",
        end_y=f"{scale.y(mu):.1f}%",
        mu=mu,
        sigma=sigma,
        matches=count,
    )


def _rules(scale: _Scale) -> list[Rule]:
    span = scale.top - scale.bottom
    step = next(step for step in (5, 10, 20, 50, 1000) if span / step <= _MOST_RULES)
    first = step * ceil(scale.bottom / step)
    strengths = range(first, int(scale.top) + 1, step)
    return [Rule(y=f"{scale.y(strength):.1f}%", label=str(strength)) for strength in strengths]


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
