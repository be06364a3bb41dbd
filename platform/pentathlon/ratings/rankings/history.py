"""Remembers the Pentathlon ranking of each day, since tables are replaced all the time."""

from __future__ import annotations

from typing import Final

from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.ratings.rankings.models import FormerPlace, RankingDay
from pentathlon.ratings.rankings.services import latest_table

_AT_ONCE: Final = 1000
_DAYS: Final = 365


def keep_ranking() -> int:
    """Remember the first table of a day, in parts of 1,000 places; return how many.

    The reconciler calls it again and again. After a crash it goes on: an author who has a place
    for that day keeps it.
    """
    today = database_now().date()
    if RankingDay.objects.filter(day=today, is_complete=True).exists():
        return 0
    table = latest_table()
    if table is None:
        return 0
    day, _ = RankingDay.objects.get_or_create(day=today, defaults={"authors": table.authors})
    lines = table.lines.order_by("place").values_list("author", "rank", "share")
    places = [
        FormerPlace(author_id=author, day=day, rank=rank, share=share)
        for author, rank, share in lines.iterator()
    ]
    for start in range(0, len(places), _AT_ONCE):
        part = places[start : start + _AT_ONCE]
        FormerPlace.objects.bulk_create(part, ignore_conflicts=True)
    RankingDay.objects.filter(pk=day.pk).update(is_complete=True)
    return len(places)


def former_places(author: User) -> list[FormerPlace]:
    """Return where an author stood, day by day, the oldest first; a year at most."""
    found = FormerPlace.objects.filter(author=author).select_related("day")
    return list(found.order_by("-day")[:_DAYS])[::-1]
