"""Computes and stores the Pentathlon ranking, so that a reader finds it ready."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.models import VersionState
from pentathlon.core.clock import database_now
from pentathlon.ratings.models import Pool, Rating, RatingQuerySet, live_key
from pentathlon.ratings.rankings.models import FormerPlace, RankingDay, RankingLine, RankingTable
from pentathlon.ratings.rankings.rule import RULE, Placing, RankedField, rank_authors
from pentathlon.ratings.skill import BETA
from pentathlon.ratings.uncertainty import PROVISIONAL_SIGMA
from pentathlon_engines import GAMES

REFRESH_S: Final = 5
"""The shortest time between two tables, in seconds."""
STALE_S: Final = 600
"""Seconds after which the table is made again even without new results: bots and authors leave."""
RANDOM_BOT: Final = "reference-random"
"""The platform's own upload of the built-in bot that plays at random."""
UNRATED_SCORE: Final = 0.0
"""Mu - 3 sigma of an unrated bot, which `random` has until it is rated."""

_REST: Final = 50
"""The pause after a table, as a multiple of the CPU time it took: at most 2 % of a core."""
_AT_ONCE: Final = 1000
_USUAL_DRAWS: Final = 0.1

Json = dict[str, Any]  # Any: JSON
_DAYS: Final = 365


def refresh_ranking() -> RankingTable | None:
    """Compute the ranking if ratings have changed since, but not too often; return a new table.

    The reconciler calls it again and again. A table is written in parts of 1,000 lines, and shown
    when all of it is there.
    """
    pools = _versions_of_pools()
    if not _is_due(pools):
        return None
    _delete_tables(RankingTable.objects.filter(is_published=False))
    started = time.thread_time()
    entrants = {game: _read_entrants(game) for game in GAMES}
    fields = {game: _field(game, entrants[game]) for game in GAMES}
    placings = rank_authors(fields)
    took_ms = int(1000 * (time.thread_time() - started))
    table = RankingTable.objects.create(
        rule=RULE, pools=pools, authors=len(placings), took_ms=took_ms
    )
    lines = list(_lines(table, placings, entrants))
    for start in range(0, len(lines), _AT_ONCE):
        RankingLine.objects.bulk_create(lines[start : start + _AT_ONCE])
    RankingTable.objects.filter(pk=table.pk).update(is_published=True)
    _delete_tables(RankingTable.objects.filter(pk__lt=table.pk))
    table.refresh_from_db()
    return table


def latest_table() -> RankingTable | None:
    """Return the table that is shown; None before the first one."""
    return RankingTable.objects.published().first()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entrant:
    """An author's best version in a game."""

    skill: float
    version: int
    bot: int
    label: str


def _versions_of_pools() -> dict[str, list[int]]:
    """Return by game how far the results of its standard leaderboard have been applied."""
    standard = Pool.objects.filter(key__in=map(live_key, GAMES))
    rows = standard.values_list("game", "pk", "epoch", "recomputes", "applied_seq")
    return {game: versions for game, *versions in rows}


def _is_due(pools: Mapping[str, list[int]]) -> bool:
    last = latest_table()
    if last is None:
        return bool(pools)
    age = database_now() - last.computed_at
    if age > timedelta(seconds=STALE_S):
        return True
    has_changed = (last.pools, last.rule) != (pools, RULE)
    return has_changed and age > timedelta(seconds=max(REFRESH_S, _REST * last.took_ms / 1000))


def _ratings(game: str) -> RatingQuerySet:
    return Rating.objects.filter(
        pool__key=live_key(game), version__state=VersionState.ELIGIBLE, matches__gt=0
    )


def _read_entrants(game: str) -> dict[int, _Entrant]:
    """Return the best settled version of each author, without staff, who are not ranked."""
    settled = _ratings(game).filter(
        sigma__lte=PROVISIONAL_SIGMA,
        version__bot__is_reference=False,
        version__bot__owner__is_staff=False,
        version__bot__owner__is_superuser=False,
    )
    columns = settled.order_by("score", "-version_id").values_list(
        *("version__bot__owner", "score", "version", "version__bot"),
        *("version__bot__name", "version__number"),
    )
    # The last row of an author wins: the best version, and the older one of equals.
    return {
        owner: _Entrant(skill=score, version=version, bot=bot, label=f"{name} v{number}")
        for owner, score, version, bot, name, number in columns.iterator()
    }


def _field(game: str, entrants: Mapping[int, _Entrant]) -> RankedField:
    own = _ratings(game).filter(version__bot__name=RANDOM_BOT, version__bot__is_reference=True)
    scores = own.order_by("-version__number").values_list("score", flat=True)
    pool = Pool.objects.filter(key=live_key(game)).first()
    return RankedField(
        skills={author: entrant.skill for author, entrant in entrants.items()},
        random=next(iter(scores[:1]), UNRATED_SCORE),
        draw_probability=_USUAL_DRAWS if pool is None else pool.draw_probability,
        beta=BETA if pool is None else pool.beta,
    )


def _lines(
    table: RankingTable,
    placings: Sequence[Placing],
    entrants: Mapping[str, Mapping[int, _Entrant]],
) -> Iterator[RankingLine]:
    for place, placing in enumerate(placings, start=1):
        yield RankingLine(
            table=table,
            author_id=placing.author,
            place=place,
            rank=placing.rank,
            share=placing.share,
            games={
                game: _cell(share, entrants[game].get(placing.author))
                for game, share in placing.by_game.items()
            },
        )


def _cell(share: float, entrant: _Entrant | None) -> Json:
    cell: Json = {"share": share, "version": None, "bot": None, "label": None}
    if entrant is not None:
        cell |= {"version": entrant.version, "bot": entrant.bot, "label": entrant.label}
    return cell


def _delete_tables(tables: Any) -> None:  # Any: a set of tables
    """Delete tables with their lines, part by part."""
    for table in tables:
        while True:
            with transaction.atomic():
                part = table.lines.order_by("pk").values_list("pk", flat=True)[:_AT_ONCE]
                if not table.lines.filter(pk__in=list(part)).delete()[0]:
                    break
        table.delete()


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
