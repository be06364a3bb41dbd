"""A page of a rating table: rows with ranks, and the one scale of their interval bars."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from django.core.paginator import Paginator

from pentathlon.accounts.models import User
from pentathlon.ratings.models import Rating
from pentathlon.ratings.uncertainty import is_provisional

PAGE_SIZE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One bot version in a rating table."""

    rating: Rating
    rank: int
    provisional: bool
    own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingTable:
    """Some rows of a table, where they stand in it, and the ends of the bars."""

    rows: list[RatingRow]
    scale: tuple[float, float]
    first: int
    last: int
    total: int
    newer: str
    """Query of the page above; empty on the first."""
    older: str
    """Query of the page below; empty on the last."""


def rating_table(
    pool_key: str, *, reader: User | None, page: str | int = 1, size: int = PAGE_SIZE
) -> RatingTable:
    """Return one page of a pool's table, best first."""
    found = Paginator(Rating.objects.table(pool_key).ranked(), size).get_page(page)
    rows = [_row(rating, reader) for rating in found.object_list]
    return RatingTable(
        rows=rows,
        scale=bar_scale([row.rating for row in rows]),
        first=found.start_index(),
        last=found.end_index(),
        total=found.paginator.count,
        newer=f"?page={found.previous_page_number()}" if found.has_previous() else "",
        older=f"?page={found.next_page_number()}" if found.has_next() else "",
    )


def bar_scale(ratings: Sequence[Rating]) -> tuple[float, float]:
    """Return round ends that hold every interval of a table."""
    if not ratings:
        return 0.0, 50.0
    low = min(rating.mu - 2 * rating.sigma for rating in ratings)
    high = max(rating.mu + 2 * rating.sigma for rating in ratings)
    return 5.0 * floor(low / 5), 5.0 * ceil(high / 5)


def _row(rating: Rating, reader: User | None) -> RatingRow:
    return RatingRow(
        rating=rating,
        rank=rating.rank,
        provisional=is_provisional(rating.skill),
        own=reader is not None and rating.version.bot.owner_id == reader.pk,
    )
