"""How ratings went lately, for many bot versions at once, at the same price for any history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db import connection

from pentathlon.bots.models import BotVersion
from pentathlon.ratings.models import LedgerRow, RatingChange

_POINTS: Final = 24
_CHANGES: Final = RatingChange._meta.db_table
_ROWS: Final = LedgerRow._meta.db_table
_VERSIONS: Final = BotVersion._meta.db_table

# Landmarks are read from the end of an index of their own: never the whole history.
_LATEST: Final = f"""
    SELECT {{columns}} FROM {_CHANGES} c JOIN {_ROWS} r ON r.id = c.row_id
    WHERE c.version_id = v.id AND c.nth IS NOT NULL AND r.pool_id = %s
    ORDER BY c.nth DESC LIMIT {_POINTS}
"""  # noqa: S608  our own names
_SCORE: Final = "mu_after - 3 * latest.sigma_after"
_LATERAL: Final = f"""
    SELECT v.id, latest.nth, latest.{_SCORE} FROM {_VERSIONS} v
    CROSS JOIN LATERAL ({_LATEST.format(columns="c.nth, c.mu_after, c.sigma_after")}) latest
    WHERE v.id IN ({{ids}}) ORDER BY v.id, latest.nth
"""  # noqa: S608  our own names
_CORRELATED: Final = f"""
    SELECT v.id, latest.nth, latest.{_SCORE} FROM {_VERSIONS} v
    JOIN {_CHANGES} latest ON latest.id IN ({_LATEST.format(columns="c.id")})
    WHERE v.id IN ({{ids}}) ORDER BY v.id, latest.nth
"""  # noqa: S608  our own names


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The latest course of a rating, mu - 3 sigma."""

    scores: tuple[float, ...]
    """After matches evenly spread over the latest part of its history, oldest first."""
    since: int
    """The how many-th match the first of them came after."""

    @property
    def change(self) -> float:
        """How much the rating has moved over these matches."""
        return self.scores[-1] - self.scores[0]


def trends(pool_id: int, version_ids: Collection[int]) -> dict[int, Trend]:
    """Return by version how its rating in a pool went lately; one query.

    A version needs two points. Those of live leaderboards alone are kept.
    """
    if not version_ids:
        return {}
    shape = _LATERAL if connection.vendor == "postgresql" else _CORRELATED
    statement = shape.format(ids=", ".join(["%s"] * len(version_ids)))
    points: dict[int, list[tuple[int, float]]] = defaultdict(list)
    with connection.cursor() as cursor:
        cursor.execute(statement, [pool_id, *version_ids])
        for version_id, nth, score in cursor.fetchall():
            points[version_id].append((nth, score))
    return {
        version_id: Trend(scores=tuple(score for _, score in found), since=found[0][0])
        for version_id, found in points.items()
        if len(found) > 1
    }
