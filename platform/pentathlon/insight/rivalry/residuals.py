"""Residuals of pairs of authors: accounts of one person that feed each other rating stand out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import F, FloatField, Sum
from django.db.models.functions import Cast, Sqrt

from pentathlon.insight.rivalry.expectations import MILLION
from pentathlon.insight.rivalry.models import OpponentSum
from pentathlon.insight.rivalry.opponents import LEAST_MEETINGS
from pentathlon_engines.strength.block_scores import WIN

_MOST_PAIRS: Final = 100


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
    """Return the pairs of authors who are furthest beyond expectation, worst first.

    Each game counts by itself, so that feeding in turn does not add up to nothing. Reference bots,
    which feed nobody, are left out, and so are pairs with fewer than `LEAST_MEETINGS`.
    """
    sums = OpponentSum.objects.exclude(bot__owner=F("other__owner"))
    sums = sums.filter(bot__is_reference=False, other__is_reference=False).order_by()
    beyond = Sum("rated_half_points") * (MILLION / WIN) - Sum("expected")
    pairs = sums.values("bot__owner__username", "other__owner__username", "game").annotate(
        meetings=Sum("rated"), beyond=Cast(beyond, FloatField()), spread=Sum("variance")
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
