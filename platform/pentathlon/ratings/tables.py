"""Rating tables: parts of them, files, and figures that long ones count once for many readers.

While a pool has few results, everything is counted anew for each answer. In a large pool, counting
would take longer than everything else, so its sets of versions may be as old as `KEPT_S`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from itertools import tee
from typing import Final, NamedTuple, TypeVar

from django.core.cache import cache
from django.db.models import Avg, F, Sum
from django.http import StreamingHttpResponse

from pentathlon.bots.models import VersionState
from pentathlon.core.csv_files import csv_table
from pentathlon.ratings.models import Pool, Rating, RatingQuerySet
from pentathlon.ratings.skill import MU
from pentathlon_engines.strength.places import shared_places

LARGE: Final = 20_000
"""From this many results on, the figures of a pool are kept instead of counted anew."""
KEPT_S: Final = 2
_MEAN_KEPT_S: Final = 60
_BAR: Final = ("strength", "low", "high")
_COLUMNS: Final = ("rank", "bot", "version", "author", "rating", "mu", "sigma", *_BAR, "matches")

T = TypeVar("T", int, float)


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
    figures = (row.score, row.mu, row.sigma, *bar, row.matches)
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
