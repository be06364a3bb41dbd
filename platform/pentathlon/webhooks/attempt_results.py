"""Records the results of attempts, and decides when to try again."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from django.db import transaction
from django.db.models import Min

from pentathlon.core.clock import database_now
from pentathlon.webhooks.http_client import PostResult
from pentathlon.webhooks.models import (
    Channel,
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    WebhookEndpoint,
)
from pentathlon.webhooks.outbox import note_event

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
RETRIES_S: Final = (
    *(5.0, 30.0, 2 * _MINUTE, 10 * _MINUTE, 30 * _MINUTE),
    *(_HOUR, 2 * _HOUR, 4 * _HOUR, 8 * _HOUR, 12 * _HOUR, 20 * _HOUR, 24 * _HOUR),
)
"""The pause after each failed attempt, 72 hours in all; then there are no further attempts."""
JITTER: Final = 0.2
"""Pauses are longer by up to this share, so that not all deliveries are tried again at once."""
LONGEST_PAUSE_S: Final = 10 * _MINUTE
"""How long a failing endpoint is left alone at most, whatever else waits for it."""
DISABLED_AFTER_S: Final = 5 * _DAY
"""An endpoint is disabled once all attempts have failed for this long."""
RETENTION_S: Final = 30 * _DAY
"""How long deliveries are kept."""
ROTATION_S: Final = _DAY
"""How long the previous secret still signs."""
_HEALTH: Final = (
    *("failures", "failing_since", "paused_until", "due_at", "waiting"),
    *("is_enabled", "disabled_reason", "disabled_at"),
)


def retry_after_s(failed: int, *, luck: random.Random) -> float | None:
    """Return the pause after so many failed attempts; None if it is given up."""
    if failed > len(RETRIES_S):
        return None
    return RETRIES_S[failed - 1] * (1 + JITTER * luck.random())


def pause_s(failures: int) -> float:
    """Return how long to leave an endpoint alone after so many failures in a row."""
    return min(RETRIES_S[0] * 2.0 ** min(failures - 1, 20), LONGEST_PAUSE_S)


@transaction.atomic
def record_answers(
    endpoint_id: int, answers: Sequence[tuple[int, PostResult]], *, luck: random.Random
) -> int:
    """Record the answers to deliveries, by their ids; return how many."""
    endpoint = WebhookEndpoint.objects.select_for_update().filter(pk=endpoint_id).first()
    if endpoint is None:
        return 0
    now = database_now()
    ids = [delivery_id for delivery_id, _ in answers]
    found = Delivery.objects.select_for_update().order_by("pk").in_bulk(ids)
    told = [(found[pk], answer) for pk, answer in answers if pk in found]
    for delivery, answer in told:
        was_waiting = delivery.state == DeliveryState.WAITING
        _settle(delivery, answer, now=now, luck=luck)
        if was_waiting and delivery.state != DeliveryState.WAITING:
            endpoint.waiting = max(0, endpoint.waiting - 1)
        _note_health(endpoint, answer, now=now)
    DeliveryAttempt.objects.bulk_create(_attempt(*each) for each in told)
    Delivery.objects.bulk_update(found.values(), ["state", "tries", "next_at", "ended_at"])
    if why := _why_disable(endpoint, [answer for _, answer in told], now=now):
        disable(endpoint, reason=why, now=now)
    else:
        endpoint.due_at = next_due(endpoint) if endpoint.is_enabled else None
    endpoint.save(update_fields=_HEALTH)
    return len(told)


def next_due(endpoint: WebhookEndpoint) -> datetime | None:
    """Return when a locked endpoint has something to send next; None if nothing waits."""
    waiting = Delivery.objects.filter(endpoint=endpoint, state=DeliveryState.WAITING)
    first: datetime | None = waiting.aggregate(first=Min("next_at"))["first"]
    if first is None:
        return None
    return max(first, endpoint.paused_until or first)


def disable(endpoint: WebhookEndpoint, *, reason: str, now: datetime) -> None:
    """Disable a locked endpoint and give up its deliveries; tell its owner the reason, if any.

    The caller saves the endpoint.
    """
    endpoint.is_enabled, endpoint.disabled_reason, endpoint.disabled_at = False, reason, now
    endpoint.due_at, endpoint.waiting = None, 0
    Delivery.objects.filter(endpoint=endpoint, state=DeliveryState.WAITING).update(
        state=DeliveryState.FAILED, ended_at=now
    )
    if reason:
        note_event(
            "webhook.disabled",
            people=[endpoint.owner_id],
            path=f"/api/v1/webhooks/{endpoint.pk}/",
            endpoint=endpoint.pk,
        )


def _settle(delivery: Delivery, answer: PostResult, *, now: datetime, luck: random.Random) -> None:
    delivery.tries += 1
    if answer.has_arrived:
        delivery.state, delivery.ended_at = DeliveryState.DELIVERED, now
        return
    if delivery.state != DeliveryState.WAITING:
        return
    pause = retry_after_s(delivery.tries, luck=luck)
    if pause is None:
        delivery.state, delivery.ended_at = DeliveryState.FAILED, now
    else:
        delivery.next_at = now + timedelta(seconds=pause)


def _note_health(endpoint: WebhookEndpoint, answer: PostResult, *, now: datetime) -> None:
    if answer.has_arrived:
        endpoint.failures, endpoint.failing_since, endpoint.paused_until = 0, None, None
        return
    endpoint.failures += 1
    endpoint.failing_since = endpoint.failing_since or now
    endpoint.paused_until = now + timedelta(seconds=pause_s(endpoint.failures))


def _why_disable(
    endpoint: WebhookEndpoint, answers: Sequence[PostResult], *, now: datetime
) -> str:
    if not endpoint.is_enabled or endpoint.channel == Channel.MAIL:
        return ""
    if any(answer.status == HTTPStatus.GONE for answer in answers):
        return "It answered 410, which says that it is gone for good."
    since = endpoint.failing_since
    if since is not None and (now - since).total_seconds() > DISABLED_AFTER_S:
        return f"Nothing has arrived since {since:%-d %B %Y %H:%M} UTC."
    return ""


def _attempt(delivery: Delivery, answer: PostResult) -> DeliveryAttempt:
    return DeliveryAttempt(
        delivery=delivery,
        status=answer.status,
        error=answer.error,
        answer=answer.text,
        duration_ms=answer.duration_ms,
    )
