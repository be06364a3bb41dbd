"""Notes events in the transaction of what happened, so that both are stored, or neither.

An event goes only to people who want its type. If nobody does, noting it costs one query of an
index.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import QuerySet

from pentathlon.core.clock import database_now
from pentathlon.webhooks.event_types import ALL_TYPES
from pentathlon.webhooks.models import Delivery, OutboxEvent, Subscription, WebhookEndpoint

Data = Mapping[str, Any]
"""What a webhook event says. Any: JSON."""
MOST_WAITING: Final = 1000
"""Deliveries that may wait for one endpoint; further events are only counted as missed."""
_EVENTS_AT_ONCE: Final = 100
_DELIVERIES_AT_ONCE: Final = 500
_Plan = list[tuple[OutboxEvent, list[int]]]


class OutsideTransaction(Exception):
    """An event was noted outside of the transaction of what happened: a mistake in our code."""

    code = "outside_transaction"


def note_event(
    event: str, *, people: Collection[int], path: str, **data: Any
) -> None:  # Any: JSON
    """Note that something happened that concerns these people; `path` is where the API shows it.

    Raises:
        OutsideTransaction: what happened could be stored without the event, or the other way.
    """
    if not connection.in_atomic_block:
        raise OutsideTransaction(event)
    if not people or not listeners(event).filter(owner__in=people).exists():
        return
    OutboxEvent.objects.create(
        type=ALL_TYPES[event].name, data={**data, "url": path}, audience=sorted(set(people))
    )


def listeners(event: str) -> QuerySet[WebhookEndpoint]:
    """Return the endpoints that want events of a type, for callers who find people by a query."""
    return WebhookEndpoint.objects.listening(event)


def note_events(event: str, *, happened: Collection[tuple[Collection[int], Data]]) -> None:
    """Note several events of one type that somebody is known to want.

    Each event is a pair of the ids of people and the data, which has a `url`.
    """
    if not connection.in_atomic_block:
        raise OutsideTransaction(event)
    OutboxEvent.objects.bulk_create(
        OutboxEvent(type=ALL_TYPES[event].name, data=dict(data), audience=sorted(set(people)))
        for people, data in happened
    )


@transaction.atomic
def spread_events() -> int:
    """Queue deliveries of the oldest events that still lack some; return how many were read.

    The reconciler calls it again and again.
    """
    unspread = OutboxEvent.objects.filter(spread_after__isnull=False).order_by("pk")
    events = list(unspread.select_for_update(skip_locked=True)[:_EVENTS_AT_ONCE])
    if not events:
        return 0
    plan = _plan(events, _wanted(events))
    wanted = {pk for _, pks in plan for pk in pks}
    # Endpoints are always locked in the order of their ids.
    rows = WebhookEndpoint.objects.filter(pk__in=wanted).order_by("pk").select_for_update()
    _queue(plan, {row.pk: row for row in rows}, now=database_now())
    OutboxEvent.objects.bulk_update([event for event, _ in plan], ["spread_after"])
    return len(plan)


def _wanted(events: Sequence[OutboxEvent]) -> dict[int, list[int]]:
    """Return by event the endpoints that want it, in the order of their ids."""
    people = {person for event in events for person in event.audience}
    working = WebhookEndpoint.objects.working().filter(owner__in=people)
    rows = Subscription.objects.filter(
        event__in={event.type for event in events}, endpoint__in=working
    )
    by_type: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for kind, endpoint, owner in rows.order_by("endpoint").values_list(
        "event", "endpoint", "endpoint__owner"
    ):
        by_type[kind].append((endpoint, owner))
    found = {}
    for event in events:
        audience = set(event.audience)
        found[event.pk] = [pk for pk, owner in by_type[event.type] if owner in audience]
        if event.endpoint_id is not None:
            found[event.pk] = [event.endpoint_id]
    return found


def _plan(events: Iterable[OutboxEvent], wanted: dict[int, list[int]]) -> _Plan:
    """Plan as many deliveries as one transaction may write; note on each event how far it got."""
    room = _DELIVERIES_AT_ONCE
    plan: _Plan = []
    for event in events:
        if not room:
            break
        after = event.spread_after or 0
        left = [pk for pk in wanted[event.pk] if pk > after]
        part = left[:room]
        event.spread_after = part[-1] if len(part) < len(left) else None
        room -= len(part)
        plan.append((event, part))
    return plan


def _queue(plan: _Plan, endpoints: dict[int, WebhookEndpoint], *, now: datetime) -> None:
    room = {pk: MOST_WAITING - row.waiting for pk, row in endpoints.items()}
    queued, missed = Counter[int](), Counter[int]()
    deliveries = []
    for event, pks in plan:
        for pk in pks:
            if pk not in endpoints or not endpoints[pk].is_enabled:
                continue
            if queued[pk] >= room[pk]:
                missed[pk] += 1
                continue
            queued[pk] += 1
            deliveries.append(Delivery(endpoint_id=pk, event=event, next_at=now))
    Delivery.objects.bulk_create(deliveries, batch_size=_DELIVERIES_AT_ONCE)
    for pk, row in endpoints.items():
        row.waiting += queued[pk]
        row.missed += missed[pk]
        if queued[pk]:
            wake(row, now=now)
    WebhookEndpoint.objects.bulk_update(endpoints.values(), ["waiting", "missed", "due_at"])


def wake(endpoint: WebhookEndpoint, *, now: datetime) -> None:
    """Schedule a locked endpoint for now, or for the end of its pause."""
    soonest = max(now, endpoint.paused_until or now)
    endpoint.due_at = min(endpoint.due_at or soonest, soonest)
