"""Strength over time as a drawing: one line with its band for every version of a bot."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor

from pentathlon.ratings.models import RatingChange
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
    """Draw all versions of a bot in one pool; None before the first rated match."""
    rows = (
        RatingChange.objects.filter(version__bot=bot_id, row__pool__key=pool_key)
        .order_by("version__number", "row__seq")
        .values_list("version__number", "mu_after", "sigma_after")
    )
    histories = {
        number: _history([(mu, sigma) for _, mu, sigma in changes])
        for number, changes in groupby(rows, key=lambda row: row[0])
    }
    return _chart(histories) if histories else None


def _history(skills: Sequence[tuple[float, float]]) -> list[Point]:
    """Return the points of one version from the prior on, at most so many."""
    points = [(0, MU, SIGMA)]
    points += [(count, mu, sigma) for count, (mu, sigma) in enumerate(skills, start=1)]
    step = ceil(len(points) / _MOST_POINTS)
    kept = points[::step]
    return kept if kept[-1] == points[-1] else [*kept, points[-1]]


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
