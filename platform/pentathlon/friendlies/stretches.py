"""The workers' side of friendlies: who may move a bot, and the results of its moves.

A stretch is what bots do between two actions of the person. Workers are told of few at a time, so
that rated play always has most of the slots.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, DomainError, InvalidInput
from pentathlon.core.texts import storable
from pentathlon.fleet.capabilities import Capabilities, least_sandbox, read_fleet
from pentathlon.fleet.models import WorkerToken
from pentathlon.friendlies.jobs import LEASE_S, FriendlyStretch, StretchResult
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.matches.job_factory import make_seat_job
from pentathlon.matches.leases import BUILD_S, last_progress, seconds_too_many
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon.matches.requirements import requirements_of_versions
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.friendly import resume
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import canonical, seal, verify_record
from pentathlon_engines.record.shape import Header, Record

PERSON_HASH = ""
"""Stands in a record where a bot's content hash would be."""
RESEND_S: Final = 10
"""Seconds after which a hint that nobody followed is published again."""
MOST_FAILURES: Final = 5
SHARE_OF_SLOTS: Final = 8
"""One in this many slots plays friendlies, but at least one does."""
DAYS_TO_THINK: Final = 14
_LONGEST_REASON: Final = 300
_AT_A_TIME: Final = 100
_idle = Bulkheads[int]("idle friendly")
Publish = Callable[[Sequence[int]], object]


def store_progress(friendly: Friendly, referee: Referee) -> Friendly:
    """Store the events of a locked friendly, and whose turn it is now."""
    mover = referee.seat_to_ask()
    friendly.events = [event.to_row() for event in referee.events]
    friendly.faults = [fault.to_json() for fault in referee.faults]
    friendly.ply = referee.ply
    friendly.moved_at = Now()
    friendly.token = friendly.lease_until = friendly.sent_at = None
    friendly.host_faults, friendly.state_reason = 0, ""
    if mover is None:
        _close(friendly, referee)
    else:
        is_person = mover == friendly.seat
        friendly.state = FriendlyState.PERSON if is_person else FriendlyState.BOT
    friendly.save()
    friendly.refresh_from_db()
    return friendly


def _close(friendly: Friendly, referee: Referee) -> None:
    outcome = referee.final_outcome()
    header = _header(friendly)
    record: Record = seal(header, events=referee.events, faults=referee.faults, outcome=outcome)
    verify_record(record)
    friendly.state = FriendlyState.DONE
    friendly.finished_at = Now()
    friendly.outcome_reason = outcome.reason
    friendly.ranks = record["outcome"]["ranks"]
    friendly.scores = record["outcome"]["scores"]
    friendly.chain = record["chain"]
    friendly.codec, friendly.data = CODEC, pack(canonical(record))
    # The record has the events.
    friendly.events = []


def _header(friendly: Friendly) -> Header:
    seats = friendly.seats.select_related("version__bot").order_by("seat")
    header: Header = {
        "game": friendly.game,
        "rules": friendly.rules_version,
        "seats": len(seats),
        "options": friendly.options,
        "seed": friendly.seed,
        "match": friendly.alias,
        "bots": [
            {
                "name": friendly.name_of(each),
                "hash": PERSON_HASH if each.version is None else each.version.archive_id,
            }
            for each in seats
        ],
        "limits": Limits().to_json(),
        "sandbox": friendly.sandbox or least_sandbox().value,
        "layers": friendly.layers,
        "person": {"seat": friendly.seat, "resigned_at": friendly.resigned_at},
    }
    if friendly.given:
        header["fork"] = {"chain": friendly.origin_chain, "ply": friendly.given}
    return header


def slots_for_friendlies(slots: int) -> int:
    """Return how many of these slots may play friendlies at a time."""
    return min(slots, max(1, slots // SHARE_OF_SLOTS))


def publish_friendlies(publish: Publish) -> int:
    """Send hints about friendlies in which a bot is to move; return how many.

    The reconciler calls it again and again.
    """
    return_expired()
    waiting = Friendly.objects.waiting()
    recently = Now() - timedelta(seconds=RESEND_S)
    fresh = waiting.filter(Q(sent_at=None) | Q(sent_at__lt=recently))
    chosen = list(fresh.values_list("pk", flat=True)[:_AT_A_TIME])
    if not chosen:
        return 0
    held = Friendly.objects.filter(state=FriendlyState.BOT).exclude(token=None).count()
    sent = waiting.filter(sent_at__gte=recently).count()
    room = slots_for_friendlies(read_fleet().slots) - held - sent
    chosen = chosen[: max(0, room)]
    for pk in chosen:
        if Friendly.objects.waiting().filter(pk=pk).update(sent_at=Now()):
            publish([pk])
    return len(chosen)


def sent_friendlies() -> list[int]:
    """Return a friendly that hints were sent out for and nobody has claimed, if there is one."""
    sent = Friendly.objects.waiting().filter(sent_at__isnull=False)
    return list(sent.values_list("pk", flat=True)[:1])


def publish_stretches_again(friendly_ids: Collection[int]) -> None:
    """Take back unfollowed hints about these friendlies, so that they are sent again."""
    Friendly.objects.waiting().filter(pk__in=friendly_ids).order_by().update(sent_at=None)


def place_in_queue(friendly: Friendly) -> int:
    """Return the place of a friendly among those that wait for a worker, from 1."""
    earlier = Friendly.objects.waiting().filter(
        Q(moved_at__lt=friendly.moved_at) | Q(moved_at=friendly.moved_at, pk__lt=friendly.pk)
    )
    return 1 + earlier.count()


def claim_stretches(
    friendly_ids: Collection[int],
    *,
    worker: str,
    capabilities: Capabilities,
    worker_token: WorkerToken | None = None,
) -> list[FriendlyStretch]:
    """Take those of these friendlies in which a bot is to move that this worker can move.

    The holder of a token takes only those that were sent out, as many as it has slots left.
    """
    if worker_token is not None:
        friendly_ids = _claimable_by(worker_token, friendly_ids)
    claimed = (
        claim_stretch(friendly_id=pk, worker=worker, capabilities=capabilities)
        for pk in friendly_ids
    )
    return [stretch for stretch in claimed if stretch is not None]


@transaction.atomic
def claim_stretch(
    *, friendly_id: int, worker: str, capabilities: Capabilities | None = None
) -> FriendlyStretch | None:
    """Take a friendly in which a bot is to move, under a lease; None if this worker cannot."""
    waiting = Friendly.objects.waiting().filter(pk=friendly_id)
    friendly = waiting.select_for_update(skip_locked=True).first()
    if friendly is None:
        return None
    seats = friendly.seats.exclude(version=None).select_related("version__bot").order_by("seat")
    versions = [each.version for each in seats if each.version is not None]
    needs = requirements_of_versions(
        versions, game=friendly.game, rules_version=friendly.rules_version, rated=False
    )
    if capabilities is not None and not capabilities.satisfies(needs):
        return None
    token = uuid4()
    taken = Friendly.objects.waiting().filter(pk=friendly_id)
    lease = {"lease_until": _lease_end(), "begun_at": Now(), "progressed_at": Now()}
    if not taken.update(token=token, worker=worker, reached=friendly.ply, **lease):
        return None
    return FriendlyStretch(
        id=friendly_id,
        token=token,
        told_name=friendly.alias,
        course=friendly.course,
        seats=tuple(
            make_seat_job(each.version, seat=each.seat)
            for each in seats
            if each.version is not None
        ),
    )


def is_moved_by(token: WorkerToken, *, friendly_id: int, content_hash: str) -> bool:
    """Return whether a worker of this token moves the bot with these files now."""
    held = Friendly.objects.filter(
        pk=friendly_id, state=FriendlyState.BOT, worker__startswith=token.prefix
    ).exclude(token=None)
    seats = held.values_list(
        "seats__version__archive", "seats__version__built", "seats__version__model"
    )
    return any(content_hash in seat for seat in seats)


def renew_stretches(leases: Mapping[UUID, tuple[int, int]]) -> set[UUID]:
    """Renew leases, given by token as friendly and ply; return the tokens that still hold."""
    return {token for token, (pk, ply) in leases.items() if _renew(pk, token, ply=ply)}


@transaction.atomic
def _renew(friendly_id: int, token: UUID, *, ply: int) -> bool:
    """Renew the lease of a friendly; return False if it is no longer this worker's.

    As with matches, plies must grow within the time that the clocks of its bots allow. One
    without progress goes to another worker and costs nobody anything.
    """
    held = Friendly.objects.filter(pk=friendly_id, token=token)
    friendly = held.select_for_update().first()
    if friendly is None:
        return False
    now = database_now()
    is_advancing = ply > friendly.reached
    since = (
        now if is_advancing else last_progress(friendly.progressed_at, friendly.lease_until, now)
    )
    if _is_stalled(friendly, since=since, now=now):
        _give_back(friendly, "Its worker made no progress.", counts=False)
        return False
    reached = max(friendly.reached, ply)
    held.update(reached=reached, progressed_at=since, lease_until=_lease_end())
    return True


def _is_stalled(friendly: Friendly, *, since: datetime, now: datetime) -> bool:
    bots = friendly.seats.exclude(version=None)
    excess_s = seconds_too_many(
        limits=Limits(),
        bots=bots.count(),
        plays=1,
        since=since,
        begun=friendly.begun_at,
        now=now,
    )
    to_build = bots.exclude(version__manifest__build=[])
    return excess_s > 0 and excess_s > BUILD_S * to_build.count()


def accept_stretches(results: Iterable[StretchResult]) -> list[DomainError | None]:
    """Store what the bots did, after playing it again; return why a result is refused, or None.

    - `Conflict`: `stale_token` if the friendly was taken away from this worker before.
    - `InvalidInput`: `bad_record` if the result does not follow from the rules, or from the events
      known before.
    """
    return [_accept(result) for result in results]


def _accept(result: StretchResult) -> DomainError | None:
    try:
        is_stored = _finish(result)
    except BadRecord as error:
        return InvalidInput(str(error), code=error.code, field="result")
    if is_stored:
        return None
    reason = f"Friendly {result.id} is no longer this worker's. Drop the result."
    return Conflict(reason, code="stale_token")


def _finish(result: StretchResult) -> bool:
    held = Friendly.objects.filter(pk=result.id, token=result.token)
    friendly = held.first()
    if friendly is None:
        return False
    course = friendly.course
    known = len(course.events)
    answered = replace(
        course, events=(*course.events, *result.events[known:]), faults=result.faults
    )
    # Played again outside of the transaction, because that takes as long as the rules do.
    referee = resume(answered, known=known)
    with transaction.atomic():
        locked = held.select_for_update().first()
        if locked is None:
            return False
        locked.sandbox, locked.layers = result.sandbox, list(result.layers)
        store_progress(locked, referee)
    return True


@transaction.atomic
def fail_stretch(friendly_id: int, token: UUID, *, reason: str, counts: bool = True) -> bool:
    """Give a friendly back after a failure of the host; False if it was taken away before."""
    held = Friendly.objects.filter(pk=friendly_id, token=token)
    friendly = held.select_for_update().first()
    if friendly is None:
        return False
    _give_back(friendly, reason, counts=counts)
    return True


@transaction.atomic
def return_expired() -> int:
    """Give back the friendlies of workers that fell silent; return how many."""
    expired = Friendly.objects.filter(state=FriendlyState.BOT, lease_until__lt=Now())
    found = list(expired.select_for_update(skip_locked=True)[:_AT_A_TIME])
    for friendly in found:
        _give_back(friendly, f"Its worker was not heard from for {LEASE_S} s.", counts=True)
    return len(found)


def close_idle() -> int:
    """Resign the friendlies of people who have not moved for days; return how many."""
    idle = Friendly.objects.filter(
        state=FriendlyState.PERSON, moved_at__lt=Now() - timedelta(days=DAYS_TO_THINK)
    )

    @transaction.atomic
    def close(friendly_id: int) -> bool:
        friendly = idle.select_for_update(skip_locked=True).filter(pk=friendly_id).first()
        if friendly is None:
            return False
        friendly.resigned_at = friendly.ply
        store_progress(friendly, resume(friendly.course))
        return True

    ids = list(idle.values_list("pk", flat=True)[:_AT_A_TIME])
    return sum(_idle.each(ids, close))


def _give_back(friendly: Friendly, reason: str, *, counts: bool) -> None:
    friendly.token = friendly.lease_until = friendly.sent_at = None
    friendly.host_faults += counts
    friendly.state_reason = storable(reason)[:_LONGEST_REASON]
    if friendly.host_faults >= MOST_FAILURES:
        friendly.state = FriendlyState.VOID
        friendly.finished_at = Now()
    friendly.save()


def _claimable_by(token: WorkerToken, friendly_ids: Collection[int]) -> list[int]:
    held = Friendly.objects.filter(state=FriendlyState.BOT, worker__startswith=token.prefix)
    room = max(0, token.slots - held.exclude(token=None).count())
    sent = Friendly.objects.waiting().filter(pk__in=friendly_ids, sent_at__isnull=False)
    return list(sent.values_list("pk", flat=True)[:room])


def _lease_end() -> object:
    return Now() + timedelta(seconds=LEASE_S)
