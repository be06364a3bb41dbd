"""Notes events in the transaction of what happened, so that both are stored, or neither.

An event goes only to people who want its type. If nobody does, noting it costs one query of an
index.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from pentathlon.webhooks.event_types import ALL_TYPES
from pentathlon.webhooks.models import OutboxEvent, WebhookEndpoint

Data = Mapping[str, Any]
"""What a webhook event says. Any: JSON."""


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
