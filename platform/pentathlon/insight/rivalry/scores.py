"""A score with its 95 % interval and the expected score. Pure; knows no database."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon_engines.strength.best import Z_95
from pentathlon_engines.strength.sprt import WIN

K = TypeVar("K", int, tuple[int, int], tuple[str, int], tuple[str, int, int], tuple[int, str])


class MeetingRow(NamedTuple):
    """The columns of a meeting that scores are made of."""

    match_id: int
    other_id: int
    version_id: int
    other_version_id: int
    game: str
    kind: str
    lane: int
    seats: int
    seat: int
    plies: int
    half_points: int
    have_both_failed: bool
    is_repeat: bool
    expected: int | None
    variance: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalScore:
    """The score of one bot against another, or against many."""

    meetings: int = 0
    """All meetings, exact repeats included."""
    counted: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    """Losses, including matches in which both failed."""
    rated: int = 0
    """Meetings with an expected score."""
    rated_half_points: int = 0
    expected_millionths: int = 0
    variance_millionths: int = 0

    @property
    def repeats(self) -> int:
        """Meetings that repeated an earlier one move by move, and so do not count."""
        return self.meetings - self.counted

    @property
    def points(self) -> float:
        """One for a win, half for a draw."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float | None:
        """The share of all possible points; None before the first meeting."""
        return self.points / self.counted if self.counted else None

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds that hold the true share with 95 % probability (Wilson's)."""
        return wilson(self.points, self.counted)

    @property
    def expected(self) -> float | None:
        """The share that the ratings right before each match led one to expect."""
        return self.expected_millionths / MILLION / self.rated if self.rated else None

    @property
    def difference(self) -> float | None:
        """The share in rated meetings less the expected one."""
        if self.expected is None:
            return None
        return self.rated_half_points / WIN / self.rated - self.expected

    @property
    def surplus(self) -> float:
        """Points above expectation, in standard errors; 0 if nothing was expected."""
        if not self.variance_millionths:
            return 0.0
        points = self.rated_half_points / WIN - self.expected_millionths / MILLION
        return points / math.sqrt(self.variance_millionths / MILLION)


def add_up(rows: Sequence[MeetingRow]) -> RivalScore:
    """Return the score in some meetings; all but `meetings` leaves exact repeats out."""
    counted = [row for row in rows if not row.is_repeat]
    rated = [row for row in counted if row.expected is not None]
    by_points = Counter(row.half_points for row in counted)
    return RivalScore(
        meetings=len(rows),
        counted=len(counted),
        wins=by_points[WIN],
        draws=by_points[1],
        losses=by_points[0],
        rated=len(rated),
        rated_half_points=sum(row.half_points for row in rated),
        expected_millionths=sum(row.expected or 0 for row in rated),
        variance_millionths=sum(row.variance or 0 for row in rated),
    )


def group(rows: Iterable[MeetingRow], key: Callable[[MeetingRow], K]) -> dict[K, RivalScore]:
    """Return the score of each group of meetings, the groups in the order of their keys."""
    groups: dict[K, list[MeetingRow]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return {name: add_up(groups[name]) for name in sorted(groups)}


def wilson(points: float, meetings: int) -> tuple[float, float]:
    """Return the 95 % interval of a share; the whole range if nothing was played.

    >>> [round(bound, 3) for bound in wilson(7.5, 10)]
    [0.441, 0.919]
    """
    if not meetings:
        return 0.0, 1.0
    share, square = points / meetings, Z_95**2
    middle = (share + square / (2 * meetings)) / (1 + square / meetings)
    inside = share * (1 - share) / meetings + square / (4 * meetings**2)
    reach = Z_95 * math.sqrt(inside) / (1 + square / meetings)
    return max(0.0, middle - reach), min(1.0, middle + reach)
