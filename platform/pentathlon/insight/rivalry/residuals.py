"""Residuals of pairs of authors: accounts of one person that feed each other rating stand out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Count, F, FloatField, Sum
from django.db.models.functions import Cast, Sqrt

from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon.insight.rivalry.models import Meeting
from pentathlon_engines.strength.sprt import WIN

LEAST_MEETINGS: Final = 10
"""The fewest rated meetings of a pair that say anything."""
_MOST_PAIRS: Final = 100
_MOST_READ: Final = 200_000
"""How many of the latest rows of meetings are added up, two for each meeting."""


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
