"""Scores with 95 % intervals, those that ratings expect, and the residuals of authors."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

from django.db.models import Count, F, FloatField, Sum
from django.db.models.functions import Cast, Sqrt

from pentathlon.insight.rivalry.models import Meeting
from pentathlon.ratings.skill import Skill
from pentathlon_engines.strength.best import wilson
from pentathlon_engines.strength.pair_model import draw_margin, outcomes
from pentathlon_engines.strength.sprt import WIN

MILLION: Final = 1_000_000
K = TypeVar("K", int, tuple[int, int], tuple[str, int], tuple[str, int, int], tuple[int, str])
LEAST_MEETINGS: Final = 10
"""The fewest rated meetings of a pair that say anything."""
_MOST_PAIRS: Final = 100
_MOST_READ: Final = 200_000
"""How many of the latest rows of meetings are added up, two for each meeting."""


class Expectation(NamedTuple):
    """The share of the points that one of two may expect, and its variance, in millionths."""

    share: int
    variance: int


def expect(first: Skill, second: Skill, *, draw_probability: float, beta: float) -> Expectation:
    """Return what the first of two may expect; uncertain ratings draw it towards one half.

    >>> expect(Skill(25.0, 1.0), Skill(25.0, 1.0), draw_probability=0.1, beta=25 / 6).share
    500000
    """
    noise = math.sqrt(2 * beta**2 + first.sigma**2 + second.sigma**2)
    margin = draw_margin(draw_probability) * math.sqrt(2) * beta / noise
    win, draw, _ = outcomes((first.mu - second.mu) / noise, margin).probabilities
    share = win + draw / 2
    variance = max(0.0, win + draw / 4 - share**2)
    return Expectation(round(MILLION * share), round(MILLION * variance))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorResidual:
    """What an author's bots scored in a game against another's beyond expectation, in all."""

    author: str
    other: str
    """The author who lost the points."""
    game: str
    rated: int
    """Their rated meetings."""
    points: float
    """The sum of the differences between result and expectation by the ratings before it."""
    standard_errors: float
    """The same in standard errors."""


def author_residuals() -> list[AuthorResidual]:
    """Return the pairs of authors who are furthest beyond expectation lately, worst first.

    Each game counts by itself, so that feeding in turn does not add up to nothing. Reference bots,
    which feed nobody, are left out, and so are pairs with fewer than `LEAST_MEETINGS`.
    """
    latest = Meeting.objects.order_by("-pk").values_list("pk", flat=True)[_MOST_READ:].first()
    rated = Meeting.objects.filter(pk__gt=latest or 0, expected__isnull=False).order_by()
    met = rated.exclude(bot__owner=F("other__owner"))
    met = met.filter(bot__is_reference=False, other__is_reference=False)
    beyond = Sum("half_points") * (MILLION / WIN) - Sum("expected")
    pairs = met.values("bot__owner__username", "other__owner__username", "game").annotate(
        meetings=Count("pk"), beyond=Cast(beyond, FloatField()), spread=Sum("variance")
    )
    compared = pairs.filter(meetings__gte=LEAST_MEETINGS, spread__gt=0, beyond__gt=0)
    worst = compared.annotate(
        errors=F("beyond") / Sqrt(Cast("spread", FloatField()) * float(MILLION))
    ).order_by("-errors", "bot__owner__username", "other__owner__username", "game")
    return [
        AuthorResidual(
            author=row["bot__owner__username"],
            other=row["other__owner__username"],
            game=row["game"],
            rated=row["meetings"],
            points=row["beyond"] / MILLION,
            standard_errors=row["errors"],
        )
        for row in worst[:_MOST_PAIRS]
    ]
