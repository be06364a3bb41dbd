"""Everything that changes ratings. Each result counts once in each pool, whatever runs twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Count, F, Sum
from django.utils import timezone

from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.book import Book, Line
from pentathlon.ratings.lines import ChangeLine, insert_lines, line_of, replace_lines, stored_lines
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool, Rating
from pentathlon.ratings.results import counting_seats, read_results
from pentathlon.ratings.skill import ALGORITHM_VERSION, Result, draw_probability
from pentathlon_engines import GAMES

_BATCH = 1000
_SAMPLE = 10_000
_LINE_FIELDS = ("mu", "sigma", "matches", "wins", "draws", "losses", "last_seq")


def live_key(game: str) -> str:
    """Return the key of a game's live leaderboard."""
    return f"game:{game}"


@transaction.atomic
def open_pool(*, key: str, game: str, title: str) -> Pool:
    """Return the pool with this key, made if need be with the game's draw probability so far."""
    pool = Pool.objects.filter(key=key).first()
    if pool is not None:
        return pool
    pool, _ = Pool.objects.get_or_create(
        key=key,
        defaults={"game": game, "title": title, "draw_probability": _draws_so_far(game)},
    )
    return pool


def open_live_pool(*, game: str) -> Pool:
    """Return the pool of a game's live leaderboard."""
    return open_pool(key=live_key(game), game=game, title=GAMES[game].info.title)


def enter_matches(*, pool: Pool, matches: Iterable[Match]) -> None:
    """Let the results of these matches count in a pool as soon as they are there."""
    rows = [LedgerRow(pool=pool, match=match) for match in matches]
    LedgerRow.objects.bulk_create(rows, batch_size=_BATCH, ignore_conflicts=True)


@transaction.atomic
def await_result(*, match_id: int) -> None:
    """Let the result of a match count that was skipped as void, once it has one."""
    pools = Pool.objects.filter(rows__match=match_id).order_by("pk")
    # Nobody applies results meanwhile: they would take it for void again.
    list(pools.select_for_update(of=("self",)))
    skipped = LedgerRow.objects.filter(match=match_id, state=LedgerState.SKIPPED)
    skipped.update(state=LedgerState.WAITING)


@transaction.atomic
def apply_pool(*, pool_id: int, limit: int = 200) -> int:
    """Apply up to `limit` new results of a pool in order; return how many matches it settled.

    Cursor, ledger and ratings move together under the pool's lock, so any number of callers
    and any crash leave every result applied once or not yet.
    """
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    if pool.algorithm_version != ALGORITHM_VERSION:
        recompute_pool(pool_id=pool_id)
        pool.refresh_from_db()
    rows = list(pool.rows.ended().in_order()[:limit])
    results = _results(rows)
    book = _stored_book(pool, results.values())
    lines: list[ChangeLine] = []
    for row in rows:
        result = results.get(row.match_id)
        if result is None:
            row.state = LedgerState.SKIPPED
            continue
        pool.applied_seq += 1
        row.state, row.seq, row.applied_at = LedgerState.APPLIED, pool.applied_seq, timezone.now()
        lines += (line_of(row.pk, change) for change in book.enter(row.seq, result))
    # As an upsert: several times as fast as an update of many rows to different values.
    LedgerRow.objects.bulk_create(
        rows,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=("pk",),
        update_fields=("state", "seq", "applied_at"),
    )
    insert_lines(lines)
    _store_lines(pool, book)
    pool.save(update_fields=("applied_seq",))
    return len(rows)


def apply_results(*, limit: int = 200) -> int:
    """Apply new results in every pool that has some; return how many matches were settled.

    A pool whose results cannot be applied holds up no other.

    Raises:
        ExceptionGroup: what went wrong, after all other pools.
    """
    settled = 0
    errors = []
    pools = Pool.objects.with_new_results().order_by("pk").values_list("pk", flat=True)
    for pool_id in list(pools):
        try:
            settled += apply_pool(pool_id=pool_id, limit=limit)
        except (InterfaceError, OperationalError):
            raise
        except Exception as error:
            error.add_note(f"in rating pool {pool_id}")
            errors.append(error)
    if errors:
        raise ExceptionGroup("ratings", errors)
    return settled


@transaction.atomic
def recompute_pool(*, pool_id: int) -> int:
    """Write a pool's ratings anew from its results in ledger order; return how many results.

    Changes that are stored as they should be are left alone: most often that is all of them.
    """
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    pool.ratings.all().delete()
    book = Book(draw_probability=pool.draw_probability)
    first = 1
    for chunk in ledger_chunks(pool):
        lines = [
            line_of(row_id, change)
            for seq, (row_id, result) in enumerate(chunk, start=first)
            for change in book.enter(seq, result)
        ]
        last = first + len(chunk) - 1
        if stored_lines(pool, first=first, last=last) != {line[:2]: line for line in lines}:
            replace_lines(pool, first=first, last=last, lines=lines)
        first = last + 1
    _store_lines(pool, book)
    pool.algorithm_version = ALGORITHM_VERSION
    pool.save(update_fields=("algorithm_version",))
    return first - 1


def ledger_chunks(pool: Pool) -> Iterator[list[tuple[int, Result]]]:
    """Yield a pool's applied rows (id, result) in order, in lists that fit into memory."""
    for first in range(1, pool.applied_seq + 1, _BATCH):
        seats = MatchSeat.objects.filter(
            match__ledger_rows__pool=pool,
            match__ledger_rows__seq__range=(first, first + _BATCH - 1),
        )
        in_order = seats.order_by("match__ledger_rows__seq", "seat")
        yield list(read_results(in_order, by="match__ledger_rows__pk"))


def _draws_so_far(game: str) -> float:
    """Return the share of neighbours in a ranking that tied, in the game's latest matches."""
    latest = Match.objects.of_game(game).public().filter(state=MatchState.DONE).order_by("-pk")
    matches = (
        MatchSeat.objects.filter(match__in=latest[:_SAMPLE])
        .values("match")
        .annotate(seats=Count("pk"), ranks=Count("rank", distinct=True))
    )
    sums = matches.aggregate(draws=Sum(F("seats") - F("ranks")), pairs=Sum(F("seats") - 1))
    return draw_probability(draws=sums["draws"] or 0, pairs=sums["pairs"] or 0)


def _results(rows: Iterable[LedgerRow]) -> dict[int, Result]:
    """Return by match the results that count; nobody plays against themselves for a rating."""
    seats = counting_seats().filter(match__in=[row.match_id for row in rows])
    results = read_results(seats.order_by("match", "seat"), by="match_id")
    return {
        match_id: result
        for match_id, result in results
        if len(set(result.players)) == len(result.players)
    }


def _stored_book(pool: Pool, results: Iterable[Result]) -> Book:
    players = {player for result in results for player in result.players}
    lines = {
        rating.version_id: Line(
            skill=rating.skill,
            matches=rating.matches,
            wins=rating.wins,
            draws=rating.draws,
            losses=rating.losses,
            last_seq=rating.last_seq,
        )
        for rating in pool.ratings.filter(version__in=players)
    }
    return Book(draw_probability=pool.draw_probability, lines=lines)


def _store_lines(pool: Pool, book: Book) -> None:
    ratings = [
        Rating(
            pool=pool,
            version_id=version_id,
            mu=line.skill.mu,
            sigma=line.skill.sigma,
            matches=line.matches,
            wins=line.wins,
            draws=line.draws,
            losses=line.losses,
            last_seq=line.last_seq,
        )
        for version_id, line in sorted(book.lines.items())
    ]
    Rating.objects.bulk_create(
        ratings,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=("pool", "version"),
        update_fields=_LINE_FIELDS,
    )
