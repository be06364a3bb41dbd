"""Everything that changes matches. The database owns a match's life; a broker carries hints.

pending --claim--> running --finish--> done
   ^                  |
   +--- lease expired, or the host failed; after the last attempt: void
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import F, Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now

from pentathlon.common.errors import InvalidInput
from pentathlon.matches.jobs import Job, MatchResult, MatchSpec, SeatJob
from pentathlon.matches.models import (
    Attempt,
    AttemptState,
    Match,
    MatchKind,
    MatchQuerySet,
    MatchSeat,
    MatchState,
    SeatLog,
)
from pentathlon.matches.verdicts import settle_versions
from pentathlon_engines import GAMES

LEASE_S: Final = 30
"""How long a worker may be silent before its match goes to another one."""
RENEW_S: Final = 10
"""How often a worker says that it still plays."""
RESEND_S: Final = 60
"""After how long a hint that nobody followed is published again."""
RESEND_LOST_S: Final = 5
"""The same, when the broker holds no hints: then it was lost on the way."""
MAX_ATTEMPTS: Final = 3
"""Host failures after which a match is void."""
WINDOW: Final = 64
"""Most matches in flight: about four for each worker slot of a small installation."""

_LONGEST_REASON = 300
_BATCH = 1000
_MOST_URGENT_FIRST = (MatchKind.VALIDATION, MatchKind.TOURNAMENT)
_NO_LEASE = {"token": None, "lease_until": None, "sent_at": None}


@transaction.atomic
def schedule_matches(specs: Iterable[MatchSpec]) -> list[Match]:
    """Store matches to be played, in this order; the reconciler hands them to workers."""
    wanted = list(specs)
    matches = Match.objects.bulk_create(map(_planned, wanted), batch_size=_BATCH)
    seats = [
        MatchSeat(match=match, seat=seat, version_id=version_id)
        for match, spec in zip(matches, wanted, strict=True)
        for seat, version_id in enumerate(spec.seating)
    ]
    MatchSeat.objects.bulk_create(seats, batch_size=_BATCH)
    return matches


@transaction.atomic
def claim_match(*, match_id: int, worker: str) -> Job | None:
    """Take a waiting match for `LEASE_S` seconds; None if it is not to be had (any more)."""
    token = uuid4()
    # One conditional update: of any number of claimers exactly one sees a row change.
    taken = Match.objects.filter(pk=match_id, state=MatchState.PENDING, on_hold=False).update(
        state=MatchState.RUNNING,
        token=token,
        worker=worker,
        attempts_made=F("attempts_made") + 1,
        lease_until=_lease_end(),
        started_at=Now(),
        ply=0,
    )
    if not taken:
        return None
    match = Match.objects.get(pk=match_id)
    Attempt.objects.create(match=match, number=match.attempts_made, token=token, worker=worker)
    return _job(match, token)


def renew_lease(*, match_id: int, token: UUID, ply: int) -> bool:
    """Report progress and keep the match; False means it is no longer this worker's."""
    held = Match.objects.held_by(token).filter(pk=match_id)
    return bool(held.update(lease_until=_lease_end(), ply=ply))


@transaction.atomic
def finish_match(*, match_id: int, token: UUID, result: MatchResult) -> bool:
    """Store how a match ended; False, and nothing stored, without the current token."""
    done = (
        Match.objects.held_by(token)
        .filter(pk=match_id)
        .update(
            state=MatchState.DONE,
            state_reason="",
            finished_at=Now(),
            ply=result.plies,
            outcome_reason=result.outcome_reason,
            sandbox=result.sandbox,
            chain=result.chain,
            **_NO_LEASE,
        )
    )
    if not done:
        return False
    _store_seats(match_id, result)
    Attempt.objects.filter(token=token).update(
        state=AttemptState.ACCEPTED, result_hash=result.result_hash, ended_at=Now()
    )
    settle_versions(match_ids=[match_id])
    return True


@transaction.atomic
def fail_attempt(*, match_id: int, token: UUID, reason: str) -> bool:
    """Give a match back after a failure of the host; False if it was taken away before."""
    match = Match.objects.held_by(token).select_for_update().filter(pk=match_id).first()
    if match is None:
        return False
    _give_back(match, AttemptState.FAILED, reason)
    return True


@transaction.atomic
def return_expired_leases(*, limit: int = 200) -> list[Match]:
    """Give back the matches of workers that fell silent; return them as they stand now."""
    # A match that somebody else settles in this moment is left to them.
    expired = Match.objects.lease_expired().order_by("pk").select_for_update(skip_locked=True)
    matches = list(expired[:limit])
    for match in matches:
        reason = f"Worker {match.worker} was not heard of for {LEASE_S} s."
        _give_back(match, AttemptState.EXPIRED, reason)
    return matches


def publish_pending(
    *,
    publish: Callable[[int], None],
    window: int = WINDOW,
    resend_after_s: float = RESEND_S,
) -> int:
    """Publish hints for waiting matches, up to `window` in flight; return how many.

    Validation goes first, then the order of the schedule. The times of publishing are the outbox:
    a crash or an error on the way publishes again.
    """
    resend_before = Now() - timedelta(seconds=resend_after_s)
    waiting = Match.objects.waiting().filter(on_hold=False)
    in_flight = Match.objects.live().count() + waiting.filter(sent_at__gte=resend_before).count()
    unsent = waiting.filter(Q(sent_at=None) | Q(sent_at__lt=resend_before))
    sent: list[int] = []
    try:
        for kind in _MOST_URGENT_FIRST:
            room = max(0, window - in_flight - len(sent))
            for match_id in unsent.filter(kind=kind).values_list("pk", flat=True)[:room]:
                publish(match_id)
                sent.append(match_id)
    finally:
        Match.objects.filter(pk__in=sent, state=MatchState.PENDING).update(sent_at=Now())
    return len(sent)


def hold_matches(*, matches: MatchQuerySet) -> int:
    """Start none of these matches until they are released; running ones end normally."""
    return matches.unfinished().update(on_hold=True)


def release_matches(*, matches: MatchQuerySet) -> int:
    """Let held matches start again."""
    return matches.unfinished().filter(on_hold=True).update(on_hold=False, sent_at=None)


@transaction.atomic
def void_matches(*, matches: MatchQuerySet, reason: str) -> int:
    """Call off all of these matches that have not ended; a running one loses its lease."""
    ids = list(
        matches.unfinished().order_by("pk").select_for_update().values_list("pk", flat=True)
    )
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        Attempt.objects.filter(match__in=batch, state=AttemptState.RUNNING).update(
            state=AttemptState.FAILED, reason=reason[:_LONGEST_REASON], ended_at=Now()
        )
        Match.objects.filter(pk__in=batch).update(
            state=MatchState.VOID,
            state_reason=reason[:_LONGEST_REASON],
            finished_at=Now(),
            **_NO_LEASE,
        )
        settle_versions(match_ids=batch)
    return len(ids)


def _planned(spec: MatchSpec) -> Match:
    lowest, highest = GAMES[spec.game].info.seats
    if not lowest <= len(spec.seating) <= highest:
        raise InvalidInput(
            f"{spec.game} is played by {lowest} to {highest} bots, not {len(spec.seating)}.",
            code="bad_seats",
            field="seating",
        )
    return Match(
        kind=spec.kind,
        game=spec.game,
        rules_version=GAMES[spec.game].info.version,
        options=spec.options,
        seed=spec.seed,
        limits=spec.limits,
        rated=spec.rated,
    )


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=LEASE_S)


def _job(match: Match, token: UUID) -> Job:
    seats = match.seats.order_by("seat").select_related("version__bot")
    return Job(
        match_id=match.pk,
        token=token,
        attempt=match.attempts_made,
        game=match.game,
        rules_version=match.rules_version,
        options=match.options,
        seed=match.seed,
        limits=match.limits,
        seats=tuple(
            SeatJob(
                seat=seat.seat,
                version_id=seat.version_id,
                name=str(seat.version),
                content_hash=seat.version.archive_id,
            )
            for seat in seats
        ),
    )


def _store_seats(match_id: int, result: MatchResult) -> None:
    ids = dict(MatchSeat.objects.filter(match=match_id).values_list("seat", "pk"))
    logs = []
    for seat, told in enumerate(result.seats):
        MatchSeat.objects.filter(pk=ids[seat]).update(
            rank=told.rank,
            score=told.score,
            fault_kind=told.fault_kind,
            fault_ply=told.fault_ply,
            fault_detail=told.fault_detail[:_LONGEST_REASON],
            cpu_ms=told.cpu_ms,
            wall_ms=told.wall_ms,
            memory_peak_mb=told.memory_peak_mb,
        )
        if told.log or told.notes:
            logs.append(SeatLog(seat_id=ids[seat], text=told.log, notes=list(told.notes)))
    SeatLog.objects.bulk_create(logs)


def _give_back(match: Match, ended: AttemptState, reason: str) -> None:
    """Let the next worker try a locked, running match, or call it off after the last attempt."""
    is_last = match.attempts_made >= MAX_ATTEMPTS
    reason = reason[:_LONGEST_REASON]
    tried = Attempt.objects.filter(match=match, number=match.attempts_made)
    tried.update(state=ended, reason=reason, ended_at=Now())
    Match.objects.filter(pk=match.pk).update(
        state=MatchState.VOID if is_last else MatchState.PENDING,
        state_reason=reason,
        finished_at=Now() if is_last else None,
        **_NO_LEASE,
    )
    if is_last:
        settle_versions(match_ids=[match.pk])
