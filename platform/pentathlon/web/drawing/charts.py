"""Charts that the server draws: ratings over time, CPU time of each request."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor
from operator import itemgetter

from pentathlon.matches.replays.explanations import RequestCost
from pentathlon.ratings.models import Rating, RatingChange
from pentathlon.ratings.skill import MU, SIGMA
from pentathlon.ratings.uncertainty import half_width

_MOST_POINTS = 150
_WIDTH, _HEIGHT = 1000.0, 100.0
_MOST_RULES = 6
Point = tuple[int, float, float]
"""The number of rated matches so far, mu and sigma."""
_MOST_BARS = 120
_WIDEST_BAR = 60.0
_NEAR_LIMIT = 0.4
"""The chart shows the limit if the longest request reaches this share of it."""
_LEAST_TOP_MS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionLine:
    """One version: its line, its 95 % band, and the place of its label."""

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
class GridLine:
    """A horizontal line of the grid."""

    y: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingChart:
    """Lines in a box of 1,000 by 100; labels in percent of the box."""

    lines: list[VersionLine]
    rules: list[GridLine]
    matches: int


def rating_chart(*, bot_id: int, pool_key: str) -> RatingChart | None:
    """Draw all versions of a bot in one pool; None before the first rated match.

    It reads few points of a long history; the last one is the rating.
    """
    rows = RatingChange.objects.filter(
        version__bot=bot_id, nth__isnull=False, row__pool__key=pool_key
    ).order_by("version__number", "nth")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBar:
    """One request, or the longest of a few consecutive ones."""

    x: str
    y: str
    width: str
    height: str
    is_fault: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnChart:
    """Bars in a box of 1,000 by 100; grid lines and the limit in percent of its height."""

    bars: list[RequestBar]
    rules: list[GridLine]
    limit_y: str | None
    """The height of the limit; None if it lies far above all bars."""
    limit_ms: int
    most_ms: int
    requests: int
    requests_per_bar: int
    """How many consecutive requests share a bar."""

    @property
    def has_fault(self) -> bool:
        """Return whether the last request ended with a fault."""
        return self.bars[-1].is_fault


def turn_chart(turns: Sequence[RequestCost], *, limit_ms: int) -> TurnChart | None:
    """Draw the CPU times of all requests; return None if there are none."""
    if not turns:
        return None
    requests_per_bar = ceil(len(turns) / _MOST_BARS)
    groups = [
        turns[start : start + requests_per_bar] for start in range(0, len(turns), requests_per_bar)
    ]
    most_ms = max(turn.cpu_ms for turn in turns)
    shows_limit = most_ms >= _NEAR_LIMIT * limit_ms
    top_ms = _round_up(max(most_ms, limit_ms if shows_limit else 0))
    return TurnChart(
        bars=[_bar(group, index, len(groups), top_ms) for index, group in enumerate(groups)],
        rules=[
            GridLine(y=_percent(ms, top_ms), label=f"{ms:g}") for ms in (0, top_ms / 2, top_ms)
        ],
        limit_y=_percent(limit_ms, top_ms) if shows_limit else None,
        limit_ms=limit_ms,
        most_ms=most_ms,
        requests=len(turns),
        requests_per_bar=requests_per_bar,
    )


def _history(seen: Sequence[Point], end: Point) -> list[Point]:
    """Return points of one version from the prior to the rating, about evenly spaced."""
    step = ceil(end[0] / _MOST_POINTS)
    points = [(0, MU, SIGMA)]
    for point in seen:
        if point[0] - points[-1][0] >= step and point[0] < end[0]:
            points.append(point)
    return [*points, end]


def _chart(histories: dict[int, list[Point]]) -> RatingChart:
    newest = max(histories)
    # Early bands are wide, but the scale holds them: a band that is cut off looks surer than it
    # is.
    bands = [(mu, half_width(sigma)) for points in histories.values() for _, mu, sigma in points]
    low = min(mu - reach for mu, reach in bands)
    high = max(mu + reach for mu, reach in bands)
    bottom, top = 5.0 * floor(low / 5), 5.0 * ceil(high / 5)
    last = max(points[-1][0] for points in histories.values())
    scale = _Scale(bottom=bottom, top=top, last=last)
    return RatingChart(
        lines=[
            _line(number, points, scale, is_old=number != newest)
            for number, points in sorted(histories.items())
        ],
        rules=_rules(scale),
        matches=last,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    bottom: float
    top: float
    last: int

    def x(self, count: int) -> float:
        return _WIDTH * count / max(self.last, 1)

    def y(self, strength: float) -> float:
        return _HEIGHT * (self.top - strength) / (self.top - self.bottom)


def _line(number: int, points: Sequence[Point], scale: _Scale, *, is_old: bool) -> VersionLine:
    count, mu, sigma = points[-1]
    upper = [(scale.x(n), scale.y(m + half_width(s))) for n, m, s in points]
    lower = [(scale.x(n), scale.y(m - half_width(s))) for n, m, s in reversed(points)]
    return VersionLine(
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


def _rules(scale: _Scale) -> list[GridLine]:
    span = scale.top - scale.bottom
    step = next(step for step in (5, 10, 20, 50, 1000) if span / step <= _MOST_RULES)
    first = step * ceil(scale.bottom / step)
    strengths = range(first, int(scale.top) + 1, step)
    return [GridLine(y=f"{scale.y(strength):.1f}%", label=str(strength)) for strength in strengths]


def _path(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _bar(group: Sequence[RequestCost], index: int, count: int, top_ms: int) -> RequestBar:
    space = _WIDTH / count
    width = min(_WIDEST_BAR, 0.8 * space)
    height = _HEIGHT * max(turn.cpu_ms for turn in group) / top_ms
    return RequestBar(
        x=f"{space * index + (space - width) / 2:.1f}",
        y=f"{_HEIGHT - height:.1f}",
        width=f"{width:.1f}",
        height=f"{height:.1f}",
        is_fault=group[-1].is_fault,
    )


def _round_up(value_ms: float) -> int:
    """Return the next of 10, 20, 50, 100, 200, ..."""
    top = _LEAST_TOP_MS
    while top < value_ms:
        top = top * 5 // 2 if str(top).startswith("2") else top * 2
    return top


def _percent(value_ms: float, top_ms: int) -> str:
    return f"{100 - 100 * value_ms / top_ms:.1f}%"
