"""Recent courses of ratings, for many versions at once; the cost does not grow with history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import connection
from django.db.models import Exists, F, FloatField, OuterRef, Subquery

from pentathlon.bots.models import BotVersion
from pentathlon.ratings.models import LedgerRow, RatingChange

WEEK: Final = timedelta(days=7)
_POINTS: Final = 24
_CHANGES: Final = RatingChange._meta.db_table
_ROWS: Final = LedgerRow._meta.db_table
_VERSIONS: Final = BotVersion._meta.db_table

# Landmarks have an index of their own, which is read from its end, so never the whole history.
_LATEST: Final = f"""
    SELECT {{columns}} FROM {_CHANGES} c JOIN {_ROWS} r ON r.id = c.row_id
    WHERE c.version_id = v.id AND c.nth IS NOT NULL AND r.pool_id = %s
    ORDER BY c.nth DESC LIMIT {_POINTS}
"""  # noqa: S608  our own names
_SCORE: Final = "mu_after - 3 * latest.sigma_after"
_LATERAL: Final = f"""
    SELECT v.id, latest.{_SCORE} FROM {_VERSIONS} v
    CROSS JOIN LATERAL ({_LATEST.format(columns="c.nth, c.mu_after, c.sigma_after")}) latest
    WHERE v.id IN ({{ids}}) ORDER BY v.id, latest.nth
"""  # noqa: S608  our own names
_CORRELATED: Final = f"""
    SELECT v.id, latest.{_SCORE} FROM {_VERSIONS} v
    JOIN {_CHANGES} latest ON latest.id IN ({_LATEST.format(columns="c.id")})
    WHERE v.id IN ({{ids}}) ORDER BY v.id, latest.nth
"""  # noqa: S608  our own names


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The latest course of a rating, mu - 3 sigma."""

    scores: tuple[float, ...]
    """Ratings after matches spread evenly over the latest part of its history, oldest first."""
    week_ago: float | None
    """The rating a week ago; None if there was none yet."""

    @property
    def change(self) -> float | None:
        """The change of the rating within a week; None if it is younger than that."""
        return None if self.week_ago is None else self.scores[-1] - self.week_ago


def trends(pool_id: int, version_ids: Collection[int], *, now: datetime) -> dict[int, Trend]:
    """Return by version the latest course of its rating in a pool; two queries.

    A version needs two points, and only live leaderboards keep points.
    """
    if not version_ids:
        return {}
    shape = _LATERAL if connection.vendor == "postgresql" else _CORRELATED
    statement = shape.format(ids=", ".join(["%s"] * len(version_ids)))
    points: dict[int, list[float]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(statement, [pool_id, *version_ids])
        for version_id, score in cursor.fetchall():
            points[version_id].append(score)
    past = _scores_at(now - WEEK, pool_id, version_ids)
    return {
        version_id: Trend(scores=tuple(scores), week_ago=past.get(version_id))
        for version_id, scores in points.items()
        if len(scores) > 1
    }


def _scores_at(moment: datetime, pool_id: int, version_ids: Collection[int]) -> dict[int, float]:
    """Return by version the last landmark of its rating before a moment, if there is one.

    A version has at most 64 landmarks for each doubling of its matches, so few rows are read; for
    a version whose first match is younger, only that one is.
    """
    landmarks = RatingChange.objects.filter(version=OuterRef("pk"), nth__isnull=False)
    past = landmarks.filter(row__pool=pool_id, row__ended_at__lte=moment)
    score = past.annotate(score=F("mu_after") - 3 * F("sigma_after")).order_by("-nth")
    versions = BotVersion.objects.filter(Exists(past.filter(nth=1)), pk__in=version_ids)
    found = versions.annotate(score=Subquery(score.values("score")[:1], output_field=FloatField()))
    return dict(found.values_list("pk", "score"))
