"""Forgets what is old, in small batches; each step costs the same however much there is."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef

from pentathlon.common.clock import database_now
from pentathlon.webhooks.models import (
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    OutboxEvent,
    WebhookEndpoint,
)
from pentathlon.webhooks.schedule import RETENTION_S

_BATCH: Final = 200


def forget_old() -> int:
    """Delete some of the oldest rows that are kept no longer; return how many rows went."""
    return _forget_deliveries() + _forget_events() + _forget_endpoints()


@transaction.atomic
def _forget_deliveries() -> int:
    # The oldest come first by id: one look at the head of the index says whether there are any.
    before = database_now() - timedelta(seconds=RETENTION_S)
    head = Delivery.objects.order_by("pk").values_list("pk", "created_at", "state")[:_BATCH]
    old = [pk for pk, at, state in head if at < before and state != DeliveryState.WAITING]
    return _delete_deliveries(old)


@transaction.atomic
def _forget_events() -> int:
    before = database_now() - timedelta(seconds=RETENTION_S)
    head = OutboxEvent.objects.order_by("pk").values_list("pk", "happened_at", "spread_after")
    old = [pk for pk, at, after in head[:_BATCH] if at < before and after is None]
    if not old:
        return 0
    kept = Delivery.objects.filter(event=OuterRef("pk"))
    found = OutboxEvent.objects.filter(~Exists(kept), pk__in=old)
    return found._raw_delete(found.db)


@transaction.atomic
def _forget_endpoints() -> int:
    """Delete a batch of what belonged to a deleted endpoint, and at last the endpoint."""
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
