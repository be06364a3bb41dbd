"""Everything that changes ratings. Each result counts once in each pool, whatever runs twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import structlog
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Count, F, Q, Sum
from django.db.models.functions import Now

from pentathlon.common.errors import Conflict
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.book import Book, Line
from pentathlon.ratings.lines import ChangeLine, insert_lines, line_of, replace_lines, stored_lines
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool, Rating
from pentathlon.ratings.results import counting_seats, read_results, why_not_counted
from pentathlon.ratings.skill import ALGORITHM_VERSION, Result, draw_probability
from pentathlon_engines import GAMES

_log = structlog.stdlib.get_logger(__name__)
_BATCH = 1000
_SAMPLE = 10_000
_LINE_FIELDS = ("mu", "sigma", "matches", "wins", "draws", "losses", "last_seq")


def live_key(game: str) -> str:
    """Return the key of a game's live leaderboard."""
    return f"game:{game}"


@transaction.atomic
def open_pool(*, key: str, game: str, title: str, draw_probability: float | None = None) -> Pool:
    """Return the pool with this key, made if need be.

    Without a draw probability, it gets that of the game's draws so far.
    """
    pool = Pool.objects.filter(key=key).first()
    if pool is not None:
        return pool
    if draw_probability is None:
        draw_probability = _draws_so_far(game)
    pool, _ = Pool.objects.get_or_create(
        key=key,
        defaults={"game": game, "title": title, "draw_probability": draw_probability},
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
    # Whoever has the lock applies its results; if they hang, the other pools must not wait.
    pool = Pool.objects.select_for_update(skip_locked=True).filter(pk=pool_id).first()
    if pool is None:
        return 0
    if pool.is_newer:
        _leave_to_newer(pool.key)
        return 0
    if pool.is_outdated:
        recompute_pool(pool_id=pool_id)
        pool.refresh_from_db()
    rows = list(pool.rows.ended().in_order()[:limit])
    results = _results(rows)
    reasons = _reasons(row.match_id for row in rows if row.match_id not in results)
    book = _stored_book(pool, results.values())
    lines: list[ChangeLine] = []
    for row in rows:
        result = results.get(row.match_id)
        if result is None:
            row.state, row.reason = LedgerState.SKIPPED, reasons[row.match_id]
            continue
        row.reason = "" if result.has_winner else LedgerReason.ALL_FAILED
        pool.applied_seq += 1
        row.state, row.seq, row.applied_at = LedgerState.APPLIED, pool.applied_seq, Now()
        lines += (line_of(row.pk, change) for change in book.enter(row.seq, result))
    # As an upsert: several times as fast as an update of many rows to different values.
    LedgerRow.objects.bulk_create(
        rows,
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=("pk",),
        update_fields=("state", "seq", "applied_at", "reason"),
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

    Raises:
        Conflict: a newer release has computed it.
    """
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    if pool.is_newer:
        raise Conflict(
            f"{pool.key} was computed by version {pool.algorithm_version} of the rating rule; "
            f"this release knows version {ALGORITHM_VERSION}. Use the newer release.",
            code="newer_ratings",
        )
    pool.ratings.all().delete()
    book = Book(draw_probability=pool.draw_probability)
    results = 0
    for chunk in ledger_chunks(pool):
        lines = chunk.lines(book)
        if stored_lines(pool, first=chunk.first, last=chunk.last) != lines:
            replace_lines(pool, first=chunk.first, last=chunk.last, lines=list(lines.values()))
        results += len(chunk.results)
        failed = [row_id for _, row_id, result in chunk.results if not result.has_winner]
        LedgerRow.objects.filter(pk__in=failed).update(reason=LedgerReason.ALL_FAILED)
    _store_lines(pool, book)
    pool.algorithm_version, pool.is_stale = ALGORITHM_VERSION, False
    pool.recomputes += 1
    pool.save(update_fields=("algorithm_version", "is_stale", "recomputes"))
    return results


@transaction.atomic
def revoke_results(*, match_ids: Collection[int]) -> None:
    """Take back the results of matches in every pool; the ratings are recomputed soon after.

    Their rows keep their place in the ledger. The matches must be marked as revoked before.
    """
    pools = Pool.objects.filter(rows__match__in=match_ids).order_by("pk")
    # Nobody applies or recomputes meanwhile.
    locked = list(pools.select_for_update(of=("self",)))
    rows = LedgerRow.objects.filter(match__in=match_ids)
    counted = rows.filter(state__in=(LedgerState.WAITING, LedgerState.APPLIED))
    stale = set(counted.filter(seq__isnull=False).values_list("pool", flat=True))
    counted.update(state=LedgerState.REVOKED, reason=LedgerReason.REVOKED)
    Pool.objects.filter(pk__in=stale & {pool.pk for pool in locked}).update(is_stale=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of a pool's ledger that fits into memory."""

    first: int
    last: int
    results: list[tuple[int, int, Result]]
    """Sequence number, id of the row and result; those taken back are left out."""

    def lines(self, book: Book) -> dict[tuple[int, ...], ChangeLine]:
        """Enter the results into a book; return the changes as stored, by row and seat."""
        lines = (
            line_of(row_id, change)
            for seq, row_id, result in self.results
            for change in book.enter(seq, result)
        )
        return {line[:2]: line for line in lines}


def ledger_chunks(pool: Pool) -> Iterator[Chunk]:
    """Yield the applied rows of a pool's ledger in order."""
    for first in range(1, pool.applied_seq + 1, _BATCH):
        last = first + _BATCH - 1
        applied = pool.rows.filter(seq__range=(first, last), state=LedgerState.APPLIED)
        seqs = dict(applied.values_list("pk", "seq"))
        seats = MatchSeat.objects.filter(
            match__ledger_rows__pool=pool,
            match__ledger_rows__seq__range=(first, last),
            match__ledger_rows__state=LedgerState.APPLIED,
        )
        in_order = seats.order_by("match__ledger_rows__seq", "seat")
        read = read_results(in_order, by="match__ledger_rows__pk")
        results = [(seqs[row_id] or 0, row_id, result) for row_id, result in read]
        yield Chunk(first=first, last=last, results=results)


def _draws_so_far(game: str) -> float:
    """Return the share of neighbours in a ranking that tied, in the game's latest matches.

    Matches with a fault are left out: two that crash are no two that play alike.
    """
    latest = (
        Match.objects.of_game(game)
        .public()
        .filter(state=MatchState.DONE, is_revoked=False)
        .order_by("-pk")
    )
    matches = (
        MatchSeat.objects.filter(match__in=latest[:_SAMPLE])
        .values("match")
        .annotate(
            seats=Count("pk"),
            ranks=Count("rank", distinct=True),
            faults=Count("pk", filter=~Q(fault_kind="")),
        )
        .filter(faults=0)
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


def _reasons(match_ids: Iterable[int]) -> dict[int, LedgerReason]:
    """Return by match why it does not count."""
    matches = Match.objects.prefetch_related("seats").in_bulk(list(match_ids))
    found = ((pk, why_not_counted(match)) for pk, match in matches.items())
    return {pk: reason or LedgerReason.VOID for pk, reason in found}


@lru_cache(maxsize=1000)
def _leave_to_newer(key: str) -> None:
    """Say once that a newer release has to go on with a pool."""
    _log.warning("ratings.newer", pool=key, known=ALGORITHM_VERSION)


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
