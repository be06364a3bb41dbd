"""Deletes old rows in small batches; each step costs the same however many rows there are."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from pentathlon.core.clock import database_now
from pentathlon.core.retention import RetentionClass
from pentathlon.webhooks.attempt_results import RETENTION_S
from pentathlon.webhooks.models import (
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    OutboxEvent,
    WebhookEndpoint,
)

_BATCH: Final = 200
_KEPT: Final = timedelta(seconds=RETENTION_S)


def forget_old() -> int:
    """Delete some of the oldest rows that are due; return how many rows went."""
    return _forget_deliveries() + _forget_events() + _forget_endpoints()


def _count_due() -> int:
    before = database_now() - _KEPT
    over = Delivery.objects.filter(created_at__lt=before).exclude(state=DeliveryState.WAITING)
    return over.count() + _events_without_deliveries().filter(happened_at__lt=before).count()


def _events_without_deliveries() -> QuerySet[OutboxEvent]:
    kept = Delivery.objects.filter(event=OuterRef("pk"))
    return OutboxEvent.objects.filter(~Exists(kept), spread_after=None)


DELIVERIES: Final = RetentionClass(
    key="deliveries",
    holds="webhook events and their deliveries",
    kept=_KEPT,
    models=(OutboxEvent, Delivery, DeliveryAttempt),
    due=_count_due,
    forget=forget_old,
)


@transaction.atomic
def _forget_deliveries() -> int:
    # Older rows have smaller ids, so the head of the index shows whether any rows are due.
    before = database_now() - _KEPT
    head = Delivery.objects.order_by("pk").values_list("pk", "created_at", "state")[:_BATCH]
    old = [pk for pk, at, state in head if at < before and state != DeliveryState.WAITING]
    return _delete_deliveries(old)


@transaction.atomic
def _forget_events() -> int:
    before = database_now() - _KEPT
    head = OutboxEvent.objects.order_by("pk").values_list("pk", "happened_at", "spread_after")
    old = [pk for pk, at, after in head[:_BATCH] if at < before and after is None]
    if not old:
        return 0
    found = _events_without_deliveries().filter(pk__in=old)
    return found._raw_delete(found.db)


@transaction.atomic
def _forget_endpoints() -> int:
    """Delete a batch of the rows of a deleted endpoint, and the endpoint once they are gone."""
    endpoint = WebhookEndpoint.objects.filter(deleted_at__isnull=False).order_by("pk").first()
    if endpoint is None:
        return 0
    ids = list(endpoint.deliveries.order_by("-pk").values_list("pk", flat=True)[:_BATCH])
    if ids:
        return _delete_deliveries(ids)
    endpoint.delete()
    return 1


def _delete_deliveries(ids: list[int]) -> int:
    if not ids:
        return 0
    DeliveryAttempt.objects.filter(delivery__in=ids).delete()
    gone, _ = Delivery.objects.filter(pk__in=ids).delete()
    return gone
