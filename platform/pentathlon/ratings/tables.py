"""Rating tables: parts of them, files, and figures that long ones count once for many readers.

While a pool has few results, everything is counted anew for each answer. In a large pool, counting
would take longer than everything else, so its sets of versions may be as old as `KEPT_S`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import tee
from typing import Final, NamedTuple, TypeVar

from django.core.cache import cache
from django.db import connection
from django.db.models import Avg, Count, Exists, F, FloatField, OuterRef, Q, Subquery, Sum
from django.http import StreamingHttpResponse

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.csv_files import csv_table
from pentathlon.ratings.models import LedgerRow, Pool, Rating, RatingChange, RatingQuerySet
from pentathlon.ratings.skill import MU
from pentathlon_engines.strength.places import shared_places

LARGE: Final = 20_000
"""From this many results on, the figures of a pool are kept instead of counted anew."""
KEPT_S: Final = 2
_MEAN_KEPT_S: Final = 60
_BAR: Final = ("strength", "low", "high")
_COLUMNS: Final = (
    "rank",
    "bot",
    "version",
    "author",
    "beats_average",
    "rating",
    "mu",
    "sigma",
    *_BAR,
    "matches",
)

T = TypeVar("T", int, float)
WEEK: Final = timedelta(days=7)
DAY: Final = timedelta(days=1)
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


class PoolProgress(NamedTuple):
    """The progress of a pool; its ratings change only with it."""

    key: str
    pool_id: int
    """The id of the pool; 0 if there is none yet."""
    recomputes: int
    results: int

    @property
    def is_large(self) -> bool:
        """Whether the pool's table is too long to be counted for each answer."""
        return self.results >= LARGE


def read_progress(pool_key: str) -> PoolProgress:
    """Return the progress of a pool; all figures of a pool that does not exist yet are 0."""
    facts = Pool.objects.filter(key=pool_key).values_list("pk", "recomputes", "applied_seq")
    return PoolProgress(pool_key, *(facts.first() or (0, 0, 0)))


def count_active(progress: PoolProgress) -> int:
    """Return how many versions a pool's table shows."""
    table = Rating.objects.table(progress.key).active()
    return _kept(progress, f"ratings:active:{progress.pool_id}", table.count, for_s=KEPT_S)


def versions_in_play(progress: PoolProgress) -> int:
    """Return a number that changes with the set of rated versions that may play.

    Which of them a table shows follows from this set and from the results of its pool.
    """
    key = f"ratings:in_play:{progress.pool_id}"
    return _kept(progress, key, lambda: _sum_in_play(progress.pool_id), for_s=KEPT_S)


def known_mean(progress: PoolProgress) -> float | None:
    """Return the mean of a large pool's rated versions; None for a small one, to be queried."""
    if not progress.is_large:
        return None
    key = f"ratings:mean:{progress.pool_id}:{progress.recomputes}:{progress.results}"
    return _kept(progress, key, lambda: _mean(progress.pool_id), for_s=_MEAN_KEPT_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """A reader's selection of the rows of a leaderboard."""

    author: str = ""
    language: str = ""
    with_references: bool = True


def narrowed(table: RatingQuerySet, wanted: Narrowing) -> RatingQuerySet:
    """Keep the rows of an author, of bots in a language, or of people's bots only."""
    if wanted.author:
        table = table.filter(version__bot__owner__username__iexact=wanted.author)
    if wanted.language:
        table = table.filter(version__manifest__language=wanted.language)
    return table if wanted.with_references else table.filter(version__bot__is_reference=False)


def ranked_rows(table: RatingQuerySet, page: Sequence[Rating]) -> list[Rating]:
    """Return consecutive rows of a table with their `rank`, from 1; ties share a rank."""
    if not page:
        return []
    first = page[0]
    above, level = Q(score__gt=first.score), Q(score=first.score)
    level &= Q(version_id__lt=first.version_id)
    # The condition on the score is redundant, but lets an index find these rows.
    upper_part = table.order_by().filter(above | level, score__gte=first.score)
    counts = upper_part.aggregate(above=Count("pk", filter=above), before=Count("pk"))
    level_with_first = counts["before"] - counts["above"]
    ranks = shared_places((row.score for row in page), after=counts["before"])
    for row, rank in zip(page, ranks, strict=True):
        row.rank = rank - level_with_first if row.score == first.score else rank
    return list(page)


def ranked_in(table: RatingQuerySet, ratings: list[Rating]) -> list[Rating]:
    """Add the ranks that some rows have in a table."""
    if ratings:
        # Negated, because `bisect` needs ascending order and the best score ranks first.
        scores = sorted(-score for score in table.order_by().values_list("score", flat=True))
        for rating in ratings:
            rating.rank = bisect_left(scores, -rating.score) + 1
    return ratings


def leaderboard_file(game: str, table: RatingQuerySet) -> StreamingHttpResponse:
    """Answer with a whole table as a file."""
    rows, scored = tee(table.iterator())
    ranks = shared_places(row.score for row in scored)
    return csv_table(f"{game}-ratings", columns=_COLUMNS, rows=map(_line, ranks, rows))


def _line(rank: int, row: Rating) -> tuple[object, ...]:
    bot = row.version.bot
    bar = (row.bar.strength, row.bar.low, row.bar.high)
    figures = (row.odds.sure, row.score, row.mu, row.sigma, *bar, row.matches)
    return (rank, bot.name, row.version.number, bot.owner.username, *figures)


def _mean(pool_id: int) -> float:
    rated = Rating.objects.filter(pool=pool_id, matches__gt=0)
    found: float | None = rated.aggregate(mean=Avg("mu"))["mean"]
    return MU if found is None else found


def _sum_in_play(pool_id: int) -> int:
    in_play = Rating.objects.filter(
        pool=pool_id, version__state=VersionState.ELIGIBLE, version__is_candidate=False
    )
    # In a sum of plain ids, two changes at once could cancel out.
    return int(in_play.aggregate(sum=Sum(F("version_id") * F("version_id")))["sum"] or 0)


def _kept(progress: PoolProgress, key: str, count: Callable[[], T], *, for_s: int) -> T:
    if not progress.is_large:
        return count()
    known: T | None = cache.get(key)
    if known is None:
        known = count()
        cache.set(key, known, for_s)
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """The latest course of a rating, mu - 3 sigma."""

    scores: tuple[float, ...]
    """Ratings after matches spread evenly over the latest part of its history, oldest first."""
    week_ago: float | None
    """The rating a week ago; None if there was none yet."""
    yesterday: float | None
    """The rating a day ago; None if there was none yet."""

    @property
    def change(self) -> float | None:
        """The change of the rating within a week; None if it is younger than that."""
        return None if self.week_ago is None else self.scores[-1] - self.week_ago


def trends(pool_id: int, version_ids: Collection[int], *, now: datetime) -> dict[int, Trend]:
    """Return by version the latest course of its rating in a pool; three queries.

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
    yesterday = _scores_at(now - DAY, pool_id, version_ids)
    return {
        version_id: Trend(
            scores=tuple(scores),
            week_ago=past.get(version_id),
            yesterday=yesterday.get(version_id),
        )
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
