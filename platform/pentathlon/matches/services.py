"""Everything that changes matches. The database owns a match's life; a broker carries hints.

pending --claim--> running --finish--> done
   ^                  |
   +--- lease expired, or the host failed; after the last attempt: void
   +--- given back by a worker that was asked to stop
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models.functions import Now

from pentathlon.core import tracing
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.core.statements import Update, store_rows
from pentathlon.core.texts import storable
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.models import all_show_compiled
from pentathlon.matches import statements
from pentathlon.matches.attempts import better_elsewhere, is_hopeless, stop_failing_versions
from pentathlon.matches.capacity import within_cap
from pentathlon.matches.endings import note_endings
from pentathlon.matches.hidden_lanes import HeldLane
from pentathlon.matches.job_factory import make_job
from pentathlon.matches.jobs import LEASE_S, Job, MatchResult
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
from pentathlon.matches.requirements import requirements_of, with_teams
from pentathlon.matches.spans import record_of_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon.matches.validation import settle_versions
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count_range

_LONGEST_REASON = 300
_BATCH = 1000
_ALIAS_BYTES = 16


@transaction.atomic
def schedule_matches(specs: Iterable[MatchSpec]) -> list[Match]:
    """Store matches to be played, in this order; the reconciler hands them to workers."""
    wanted = list(specs)
    with tracing.span("schedule matches"):
        matches = Match.objects.bulk_create(map(_planned, wanted), batch_size=_BATCH)
        seats = [
            MatchSeat(match=match, seat=seat, version_id=version_id)
            for match, spec in zip(matches, wanted, strict=True)
            for seat, version_id in enumerate(spec.seating)
        ]
        store_rows(seats)
    return matches


@transaction.atomic(savepoint=False)
def claim_matches(
    *,
    match_ids: Sequence[int],
    worker: str,
    capabilities: Capabilities | None = None,
    worker_token: int | None = None,
    pass_on: Callable[[Collection[int]], object] | None = None,
) -> list[Job]:
    """Claim the matches that still wait, each for `LEASE_S` seconds under a token of its own.

    `worker_token` is the id of the token by which the worker works here, if it has one; see
    `claims_by_token`.

    A match that this worker cannot play or has just failed, or that a bot's cap holds back, is
    left to be published again, or handed to `pass_on`.
    """
    since_ns = tracing.clock()
    # A match that another claim has locked is left to it: hints are sometimes delivered twice.
    waiting = with_teams(statements.WAITING(list(match_ids)))
    fitting = [
        each
        for each in waiting
        if capabilities is None or capabilities.satisfies(requirements_of(each))
    ]
    elsewhere = better_elsewhere(fitting, worker=worker)
    matches = within_cap([each for each in fitting if each.pk not in elsewhere])
    if len(matches) < len(waiting):
        refused = {match.pk for match in waiting} - {match.pk for match in matches}
        if pass_on is None:
            publish_again(match_ids=refused)
        else:
            pass_on(refused)
    tokens = {match.pk: uuid4() for match in matches}
    if tokens:
        _take(tokens, worker)
    shows_compiled = bool(matches) and all_show_compiled()
    job_of = partial(
        make_job, shows_compiled=shows_compiled, slot=worker, capabilities=capabilities
    )
    jobs = [job_of(match, tokens[match.pk]) for match in matches]
    store_rows(
        Attempt(
            match_id=job.match_id,
            number=job.attempt,
            token=job.token,
            worker=worker,
            worker_token=worker_token,
        )
        for job in jobs
    )
    record_of_matches("claim match", tokens, since_ns=since_ns)
    return jobs


def _take(tokens: Mapping[int, UUID], worker: str) -> None:
    """Start locked matches, each under its token."""
    # Conditional, so that even without the lock one of two claimers sees no row change.
    taken = statements.TAKE(list(tokens), list(tokens.values()), worker)
    if taken < len(tokens):
        raise Conflict("A match was taken by two at once.", code="double_claim")


@transaction.atomic(savepoint=False)
def finish_matches(results: Iterable[MatchResult]) -> set[int]:
    """Store the results of matches together; return the ids of those that count.

    A match that another token holds by now is left as it is.
    """
    offered = {result.match_id: result for result in results}
    found = statements.RUNNING(sorted(offered))
    counted = {pk: offered[pk] for pk, token, _ in found if token == offered[pk].token}
    if not counted:
        return set()
    told = [
        [getattr(each, name) for each in counted.values()] for name in statements.TOLD_OF_MATCH
    ]
    statements.FINISH(list(counted), *told)
    _store_seats(counted)
    statements.ACCEPT.each((each.token, each.result_hash) for each in counted.values())
    if any(seat.failed_at_start for each in counted.values() for seat in each.seats):
        stop_failing_versions(match_ids=counted)
    if uploads := {pk for pk, _, kind in found if kind == MatchKind.VALIDATION}:
        settle_versions(match_ids=uploads & counted.keys(), answers=_answers(counted))
    note_endings(counted)
    return set(counted)


@transaction.atomic
def fail_attempt(
    *,
    match_id: int,
    token: UUID,
    reason: str,
    suspect: int | None = None,
    was_too_slow: bool = False,
) -> bool:
    """Give a match back after a failure of the host; return False if it was taken away before.

    `suspect` is the bot version that may have caused the failure: if the same version fails again
    and again, on different workers, the host is not to blame. `was_too_slow` says that the host
    only lacked time for the match.
    """
    match = Match.objects.held_by(token).select_for_update().filter(pk=match_id).first()
    if match is None:
        return False
    cause = {"blamed_version": suspect, "was_too_slow": was_too_slow}
    _give_back(match, AttemptState.FAILED, reason, **cause)
    return True


@transaction.atomic
def return_match(*, match_id: int, token: UUID, reason: str) -> bool:
    """Give back a match with which nothing is wrong; return False if it was taken away before."""
    match = Match.objects.held_by(token).select_for_update().filter(pk=match_id).first()
    if match is None:
        return False
    _give_back(match, AttemptState.RETURNED, reason)
    return True


@transaction.atomic
def return_expired_leases(*, limit: int = 200) -> list[Match]:
    """Give back the matches of workers that fell silent; return these matches."""
    # A match that somebody else settles in this moment is left to them.
    expired = Match.objects.lease_expired().order_by("lease_until", "pk")
    matches = list(expired.select_for_update(skip_locked=True)[:limit])
    for match in matches:
        reason = f"Worker {match.worker} was not heard from for {LEASE_S} s."
        _give_back(match, AttemptState.EXPIRED, reason)
    return matches


def take_back_stalled(matches: Iterable[Match]) -> None:
    """Give locked, running matches to other workers: those of theirs make no progress."""
    for match in matches:
        reason = f"Worker {match.worker} held it without progress."
        _give_back(match, AttemptState.STALLED, reason)


def note_sent(*, match_ids: Collection[int]) -> set[int]:
    """Note that hints for these matches go out now; return the ids of those that need one."""
    return _update_unlocked(match_ids, statements.NOTE_SENT)


def publish_again(match_ids: Collection[int]) -> None:
    """Take back unfollowed hints for these matches, so that they are published again."""
    _update_unlocked(match_ids, statements.TAKE_BACK)


@transaction.atomic
def _update_unlocked(match_ids: Collection[int], update: Update) -> set[int]:
    """Change the matches that may be claimed and that nobody has locked; return their ids."""
    ids = statements.UNLOCKED(sorted(match_ids))
    update(ids)
    return set(ids)


@transaction.atomic
def hold_lane(lane: int) -> None:
    """Start no match of a lane until it is released; running ones end normally."""
    HeldLane.objects.get_or_create(lane=lane)


@transaction.atomic
def release_lane(lane: int) -> None:
    """Release the held matches of a lane."""
    HeldLane.objects.filter(lane=lane).delete()
    waiting = Match.objects.of_lane(lane).filter(state=MatchState.PENDING)
    # Hints that were sent before are sent again, because workers have refused them meanwhile.
    waiting.filter(sent_at__isnull=False).update(sent_at=None)


@transaction.atomic
def void_matches(*, matches: MatchQuerySet, reason: str) -> int:
    """Call off all of these matches that have not ended; a running one loses its lease."""
    reason = storable(reason)[:_LONGEST_REASON]
    ids = list(
        matches.unfinished().order_by("pk").select_for_update().values_list("pk", flat=True)
    )
    for start in range(0, len(ids), _BATCH):
        batch = ids[start : start + _BATCH]
        Attempt.objects.filter(match__in=batch, state=AttemptState.RUNNING).update(
            state=AttemptState.FAILED, reason=reason, ended_at=Now()
        )
        Match.objects.filter(pk__in=batch).update(
            state=MatchState.VOID,
            state_reason=reason,
            finished_at=Now(),
            **statements.NO_LEASE,
        )
        settle_versions(match_ids=batch)
        note_endings(batch)
    return len(ids)


@transaction.atomic
def requeue_void_matches(*, match_ids: Collection[int]) -> None:
    """Queue void matches again; their attempts so far stay known."""
    matches = Match.objects.filter(pk__in=match_ids).order_by("pk")
    for match in matches.select_for_update(of=("self",)):
        if match.state != MatchState.VOID:
            raise Conflict(
                f"Match {match.pk} is {match.get_state_display()}; only void matches are "
                "requeued.",
                code="not_void",
            )
    matches.update(state=MatchState.PENDING, state_reason="", host_faults=0, finished_at=None)


def _planned(spec: MatchSpec) -> Match:
    lowest, highest = GAMES[spec.game].info.seats
    if not lowest <= len(spec.seating) <= highest:
        bots = count_range(lowest, highest, "bot")
        raise InvalidInput(
            f"{spec.game} is played by {bots}, not {len(spec.seating)}.",
            code="bad_seats",
            field="seating",
        )
    return Match(
        kind=spec.kind,
        game=spec.game,
        rules_version=GAMES[spec.game].info.version,
        options=spec.options,
        seed=spec.seed,
        alias=spec.alias or secrets.token_hex(_ALIAS_BYTES),
        limits=spec.limits,
        rated=spec.rated,
        lane=spec.lane,
        validated_version=spec.seating[0] if spec.kind is MatchKind.VALIDATION else None,
        newcomer_of=spec.newcomer_of,
        reserved_for=spec.reserved_for,
        traceparent=tracing.current(),
    )


def _answers(results: Mapping[int, MatchResult]) -> dict[tuple[int, int], str]:
    """Return what was wrong with the answer of each seat, by match and seat."""
    return {
        (pk, seat): told.answer
        for pk, each in results.items()
        for seat, told in enumerate(each.seats)
        if told.answer
    }


def _store_seats(results: Mapping[int, MatchResult]) -> None:
    told = {
        (pk, number): seat
        for pk, result in results.items()
        for number, seat in enumerate(result.seats)
    }
    *columns, _ = statements.TOLD
    statements.SEAT.each(
        (*place, *(getattr(seat, name) for name in columns), seat.fault_detail[:_LONGEST_REASON])
        for place, seat in told.items()
    )
    logged = {at: seat for at, seat in told.items() if seat.log or seat.notes or seat.trace}
    if not logged:
        return
    seats = MatchSeat.objects.filter(match__in={pk for pk, _ in logged})
    SeatLog.objects.bulk_create(
        SeatLog(seat=seat, text=each.log, notes=list(each.notes), trace=each.trace, ended_at=Now())
        for seat in seats
        if (each := logged.get((seat.match_id, seat.seat)))
    )


def _give_back(match: Match, ended: AttemptState, reason: str, **cause: int | None) -> None:
    """Give a locked, running match to the next worker, or void it after too many failures."""
    reason = storable(reason)[:_LONGEST_REASON]
    tried = Attempt.objects.filter(match=match, number=match.attempts_made)
    tried.update(state=ended, reason=reason, ended_at=Now(), **cause)
    # A worker that claims to play has nothing to say about the match or its bots.
    is_counted = ended not in (AttemptState.RETURNED, AttemptState.STALLED)
    faults = match.host_faults + is_counted
    is_last = is_counted and is_hopeless(match, faults=faults)
    Match.objects.filter(pk=match.pk).update(
        state=MatchState.VOID if is_last else MatchState.PENDING,
        state_reason=reason if faults else "",
        host_faults=faults,
        finished_at=Now() if is_last else None,
        **statements.NO_LEASE,
    )
    if is_last:
        settle_versions(match_ids=[match.pk])
        note_endings([match.pk])
