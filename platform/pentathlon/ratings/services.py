"""Everything that changes ratings. Each result counts once in each pool, whatever runs twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import structlog
from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce, Greatest, Now

from pentathlon.bots.audit_events import note_version
from pentathlon.bots.models import BotVersion
from pentathlon.core import tracing
from pentathlon.core.arithmetic import fingerprint_after
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.statements import Update, store_rows
from pentathlon.matches.endings import note_corrections
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.spans import record_of_matches
from pentathlon.ratings.book import Book
from pentathlon.ratings.models import (
    LedgerReason,
    LedgerRow,
    LedgerState,
    Pool,
    PoolQuerySet,
    live_key,
    tournament_of_key,
)
from pentathlon.ratings.recompute import (
    SMALL,
    ChangeRow,
    change_row,
    insert_rows,
    recompute_pool,
    store_ratings,
)
from pentathlon.ratings.scopes import (
    RatingScope,
    among_own,
    counted,
    counting_seats,
    digest_in_key,
    digests_of,
    read_results,
    revoke_rows,
    scope_of,
    why_not_counted,
)
from pentathlon.ratings.scores import count_scores
from pentathlon.ratings.skill import ALGORITHM_VERSION, BETA, Result, draw_probability
from pentathlon.webhooks.outbox import listeners

_EVENT: Final = "version.first_rated_match"
_log = structlog.stdlib.get_logger(__name__)
_SAMPLE = 2_000
"""Matches that give a game's share of draws to about a hundredth, while a start waits for it."""
_ENDED = (MatchState.DONE, MatchState.VOID)
_pools = Bulkheads[int]("rating pool")
_ENDED_AT = Match.objects.filter(pk=OuterRef("match")).values("finished_at")
_APPLY = Update(
    lambda row, seq, reason, course: (
        LedgerRow.objects.filter(pk=row),
        {
            "state": LedgerState.APPLIED,
            "seq": seq,
            "applied_at": Now(),
            "reason": reason,
            "course": course,
        },
    )
)
_SKIP = Update(
    lambda row, reason: (
        LedgerRow.objects.filter(pk=row),
        {"state": LedgerState.SKIPPED, "reason": reason},
    )
)
_MARK_READY = Update(
    lambda ids: (
        LedgerRow.objects.waiting().filter(match__pk__in=ids),
        {"state": LedgerState.READY, "ended_at": Coalesce(Subquery(_ENDED_AT), Now())},
    )
)


def note_first_matches(pool: Pool, matches: Mapping[int, int]) -> None:
    """Note the first match that counts in a live pool, by version; tournaments say nothing."""
    if not matches or tournament_of_key(pool.key) is not None:
        return
    versions = BotVersion.objects.filter(pk__in=matches)
    # One query for all versions, because hardly any author listens to this event.
    wanted = versions.filter(bot__owner__in=listeners(_EVENT).values("owner"))
    for version_id in wanted.order_by("pk").values_list("pk", flat=True):
        match_id = matches[version_id]
        note_version(
            _EVENT,
            version_id=version_id,
            path=f"/api/v1/matches/{match_id}/",
            match=match_id,
            game=pool.game,
        )


@transaction.atomic
def open_pool(
    *,
    key: str,
    game: str,
    title: str,
    draw_probability: float | None = None,
    beta: float | None = None,
    scope: RatingScope | None = None,
) -> Pool:
    """Return the pool with this key, made if need be.

    Without a given draw probability, the pool gets that of the game's draws so far.
    """
    pool = Pool.objects.filter(key=key).first()
    if pool is not None:
        return pool
    if draw_probability is None:
        draw_probability = _draws_so_far(game)
    pool, _ = Pool.objects.get_or_create(
        key=key,
        defaults={
            "game": game,
            "title": title,
            "scope": scope.digest if scope else "",
            "setting": scope.to_json() if scope else {},
            "draw_probability": draw_probability,
            "beta": BETA if beta is None else beta,
            "seat_scores": None if tournament_of_key(key) is None else [],
        },
    )
    return pool


def open_live_pool(
    *,
    game: str,
    options: Mapping[str, Any] | None = None,  # Any: the game checks the values
    seats: int | None = None,
    limits: Mapping[str, Any] | None = None,  # Any: whoever sets them checks them
) -> Pool:
    """Return the pool of the live leaderboard where matches with this setting count."""
    scope = scope_of(game, options=options, seats=seats, limits=limits)
    key = live_key(game, digest_in_key(game, scope.digest))
    return open_pool(key=key, game=game, title=scope.title, scope=scope)


def enter_matches(*, pool: Pool, matches: Iterable[Match]) -> None:
    """Count the results of these matches in a pool as soon as they arrive.

    On a live leaderboard nobody gains from bots of their own: such matches get a row that says so.
    This is decided on entry, so that results which earlier releases have applied stay.
    """
    entered = list(matches)
    own = _among_own(entered) if pool.is_live else set()
    settled = {"state": LedgerState.SKIPPED, "reason": LedgerReason.SAME_OWNER}
    rows = [
        LedgerRow(pool=pool, match=match, **(settled if match.pk in own else {}))
        for match in entered
    ]
    store_rows(rows, ignores_known=True)
    if ended := {row.match_id for row in rows if row.match.state in _ENDED}:
        mark_ready(ended)


def mark_ready(match_ids: Collection[int]) -> None:
    """Queue the results of matches that have just ended; call it where they end."""
    _MARK_READY(sorted(match_ids))


@transaction.atomic
def await_results(*, match_ids: Collection[int]) -> None:
    """Make matches that were skipped as void wait for a result again."""
    pools = Pool.objects.filter(rows__match__in=match_ids).order_by("pk")
    # The locks keep everybody from applying results meanwhile, who would skip these as void again.
    list(pools.select_for_update(of=("self",)))
    rows = LedgerRow.objects.filter(match__in=match_ids)
    skipped = rows.filter(state=LedgerState.SKIPPED, pool__seat_scores__isnull=False)
    counts = skipped.order_by().values_list("pool").annotate(count=Count("pk"))
    for pool_id, count in counts:
        Pool.objects.filter(pk=pool_id).update(void=Greatest(F("void") - count, 0))
    settled = rows.filter(state__in=(LedgerState.READY, LedgerState.SKIPPED))
    settled.exclude(reason=LedgerReason.SAME_OWNER).update(
        state=LedgerState.WAITING, reason="", ended_at=None
    )


@transaction.atomic
def apply_pool(*, pool_id: int, limit: int = 200) -> int:
    """Apply up to `limit` new results of a pool in order; return how many matches it settled.

    Cursor, ledger, ratings and scores move together under the pool's lock, so any number of
    callers and any crash leave every result applied once or not yet. A large pool that waits to
    be recomputed takes new results meanwhile: the recompute comes to them last.
    """
    # Whoever holds the lock applies the pool's results; if they hang, other pools must not wait.
    pool = Pool.objects.select_for_update(skip_locked=True).filter(pk=pool_id).first()
    if pool is None:
        return 0
    if pool.is_newer:
        _leave_to_newer(pool.key)
        return 0
    if pool.is_outdated and pool.applied_seq <= SMALL:
        recompute_pool(pool_id=pool_id)
        pool.refresh_from_db()
    if pool.current_key != pool.key:
        return _hand_over(pool, limit)
    since_ns = tracing.clock()
    rows = list(pool.rows.ready().order_by("ended_at", "match_id")[:limit])
    _settle(pool, rows)
    record_of_matches("update rating", [row.match_id for row in rows], since_ns=since_ns)
    return len(rows)


def _settle(pool: Pool, rows: Sequence[LedgerRow]) -> None:
    """Apply the results of rows of a locked pool in this order, or note why they do not count."""
    results = _results(pool, rows)
    reasons = _reasons(pool, (row.match_id for row in rows if row.match_id not in results))
    book = _stored_book(pool, results.values())
    digests = digests_of(results)
    known = counted(pool, digests.values())
    lines: list[ChangeRow] = []
    rated, first = set(book.lines), dict[int, int]()
    if results:
        is_first = pool.applied_seq == 0
        pool.fingerprint = fingerprint_after(pool.fingerprint, is_first=is_first)
    for row in rows:
        result = results.get(row.match_id)
        if result is None:
            row.state, row.reason = LedgerState.SKIPPED, reasons[row.match_id]
            continue
        row.course = digests.get(row.match_id)
        row.reason = _why_unchanged(result, is_repeat=row.course in known)
        if row.course is not None:
            known.add(row.course)
        result = replace(result, is_repeat=row.reason == LedgerReason.REPEAT)
        pool.applied_seq += 1
        row.state, row.seq = LedgerState.APPLIED, pool.applied_seq
        lines += (change_row(row.pk, change) for change in book.enter(row.seq, result))
        for player in set(result.players) - rated:
            first.setdefault(player, row.match_id)
    _note_settled(rows)
    insert_rows(lines)
    store_ratings(pool, book)
    _count_in_scores(pool, rows)
    pool.save(update_fields=("applied_seq", "fingerprint", "done", "void", "seat_scores"))
    note_first_matches(pool, first)


def _note_settled(rows: Sequence[LedgerRow]) -> None:
    _APPLY.each((row.pk, row.seq, row.reason, row.course) for row in rows if row.seq)
    _SKIP.each((row.pk, row.reason) for row in rows if not row.seq)


def apply_results(*, limit: int = 200) -> int:
    """Apply new results in every pool that has some; return how many matches were settled.

    A pool whose results cannot be applied holds up no other.
    """
    small = Pool.objects.outdated().filter(applied_seq__lte=SMALL)
    pools = {*_ids(Pool.objects.with_new_results()), *_ids(small)}
    return sum(_pools.each(sorted(pools), lambda pk: apply_pool(pool_id=pk, limit=limit)))


def _hand_over(pool: Pool, limit: int) -> int:
    """Move results that arrived for a past epoch to the current one."""
    current = Pool.objects.get(key=pool.current_key)
    ready = pool.rows.ready().order_by("ended_at", "match_id").values_list("pk", flat=True)
    return pool.rows.filter(pk__in=list(ready[:limit])).update(pool=current)


@transaction.atomic
def note_arithmetic(*, pool_id: int) -> None:
    """Remember that this process has computed something that belongs to a pool's ratings."""
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    found = fingerprint_after(pool.fingerprint, is_first=pool.applied_seq == 0)
    if found != pool.fingerprint:
        pool.fingerprint = found
        pool.save(update_fields=("fingerprint",))


@transaction.atomic
def revoke_results(*, match_ids: Collection[int]) -> None:
    """Take back the results of matches in every pool; the ratings are recomputed soon after.

    Their rows keep their place in the ledger. The matches must be marked as revoked before.
    """
    pools = Pool.objects.filter(rows__match__in=match_ids).order_by("pk")
    # The locks keep everybody from applying or recomputing meanwhile. The join finds a pool once
    # for each row of its ledger.
    locked = {pool.pk: pool for pool in pools.select_for_update(of=("self",))}
    rows = LedgerRow.objects.filter(match__in=match_ids, match__state=MatchState.DONE)
    changed = set(match_ids)
    for pool in locked.values():
        standing = pool.rows.filter(pk__in=rows).exclude(state=LedgerState.REVOKED)
        settled = standing.filter(state__in=(LedgerState.APPLIED, LedgerState.SKIPPED))
        count_scores(pool, set(settled.values_list("match", flat=True)), times=-1)
        if standing.filter(seq__isnull=False).exists():
            pool.is_stale, pool.ledger_version = True, pool.ledger_version + 1
        changed |= revoke_rows(pool, standing)
        pool.save(update_fields=("is_stale", "ledger_version", "seat_scores"))
    note_corrections(sorted(changed))


def _why_unchanged(result: Result, *, is_repeat: bool) -> str:
    """Return why a result that counts changes no rating; empty if it may change some."""
    if not result.has_winner:
        return LedgerReason.ALL_FAILED
    return LedgerReason.REPEAT if is_repeat else ""


def _among_own(matches: Sequence[Match]) -> set[int]:
    """Return which of these matches have two bots of one author."""
    found = Match.objects.filter(among_own(), pk__in=[match.pk for match in matches])
    return set(found.values_list("pk", flat=True))


def _ids(pools: PoolQuerySet) -> list[int]:
    return list(pools.values_list("pk", flat=True))


def _count_in_scores(pool: Pool, rows: Sequence[LedgerRow]) -> None:
    """Count what a locked pool has just settled, if it keeps scores."""
    if pool.seat_scores is None or not rows:
        return
    states = Match.objects.filter(pk__in=[row.match_id for row in rows])
    ended = list(states.values_list("pk", "state", "is_revoked"))
    pool.void += sum(state == MatchState.VOID for _, state, _ in ended)
    pool.done += sum(state == MatchState.DONE for _, state, _ in ended)
    count_scores(pool, {pk for pk, _, is_revoked in ended if not is_revoked})


def _draws_so_far(game: str) -> float:
    """Return the share of neighbours in a ranking that tied, in the game's latest matches.

    Matches with a fault are left out: two bots that crash need not play alike.
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


def _results(pool: Pool, rows: Iterable[LedgerRow]) -> dict[int, Result]:
    """Return by match the results that count; a match of a version with itself rates nothing."""
    seats = counting_seats(pool).filter(match__in=[row.match_id for row in rows])
    results = read_results(seats.order_by("match", "seat"), by="match_id")
    return {
        match_id: result
        for match_id, result in results
        if len(set(result.players)) == len(result.players)
    }


def _reasons(pool: Pool, match_ids: Iterable[int]) -> dict[int, LedgerReason]:
    """Return by match why its result does not count."""
    matches = Match.objects.prefetch_related("seats").in_bulk(list(match_ids))
    found = ((pk, why_not_counted(match, pool)) for pk, match in matches.items())
    return {pk: reason or LedgerReason.VOID for pk, reason in found}


@lru_cache(maxsize=1000)
def _leave_to_newer(key: str) -> None:
    """Log once that only a newer release can go on with a pool."""
    _log.warning("ratings.newer", pool=key, known=ALGORITHM_VERSION)


def _stored_book(pool: Pool, results: Iterable[Result]) -> Book:
    players = {player for result in results for player in result.players}
    lines = {rating.version_id: rating.line for rating in pool.ratings.filter(version__in=players)}
    return pool.book(lines)
