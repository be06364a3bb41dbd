"""Everything that people can change about their webhooks and e-mail."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from pentathlon.core.quotas import Quota
from pentathlon.webhooks.addresses import check_url
from pentathlon.webhooks.attempt_results import ROTATION_S, disable
from pentathlon.webhooks.event_types import EVENT_TYPES, MAILED, PING
from pentathlon.webhooks.messages import secret_of
from pentathlon.webhooks.models import (
    Channel,
    Delivery,
    DeliveryState,
    OutboxEvent,
    Subscription,
    WebhookEndpoint,
    new_salt,
)
from pentathlon.webhooks.outbox import MOST_WAITING, wake

MOST_ENDPOINTS: Final = 5
_FIELDS: Final = ("waiting", "due_at", "is_enabled", "disabled_reason", "disabled_at")


def endpoint_quota(person: User) -> Quota:
    """Return how many webhooks there are, disabled ones included."""
    return Quota(
        key="webhooks",
        about="webhooks",
        limit=MOST_ENDPOINTS,
        used=WebhookEndpoint.objects.owned_by(person).count(),
        code="too_many_webhooks",
    )


@transaction.atomic
def create_endpoint(
    *, actor: User, url: str, events: Collection[str], site: str
) -> tuple[WebhookEndpoint, str]:
    """Make a webhook and return it with its secret, which nobody is shown again."""
    url = check_url(url, allows_loopback=settings.WEBHOOKS_ALLOW_LOOPBACK)
    known = _known_events(events, EVENT_TYPES)
    # The lock makes two simultaneous requests count each other's endpoint.
    User.objects.select_for_update().get(pk=actor.pk)
    endpoints = endpoint_quota(actor)
    endpoints.check_left(f"You have {endpoints.limit} webhooks, the maximum. Delete one first.")
    endpoint = WebhookEndpoint.objects.create(owner=actor, url=url, site=site)
    _subscribe(endpoint, known)
    return endpoint, secret_of(endpoint.salt)


@transaction.atomic
def change_endpoint(
    *,
    actor: User,
    endpoint_id: int,
    url: str | None = None,
    events: Collection[str] | None = None,
    is_enabled: bool | None = None,
) -> WebhookEndpoint:
    """Change given fields of the actor's own webhook; enabling it again forgets its failures."""
    endpoint = _lock(actor, endpoint_id)
    if url is not None:
        endpoint.url = check_url(url, allows_loopback=settings.WEBHOOKS_ALLOW_LOOPBACK)
    if events is not None:
        _subscribe(endpoint, _known_events(events, EVENT_TYPES))
    if is_enabled is False and endpoint.is_enabled:
        disable(endpoint, reason="", now=database_now())
    if is_enabled and not endpoint.is_enabled:
        endpoint.is_enabled, endpoint.disabled_reason, endpoint.disabled_at = True, "", None
        endpoint.failures, endpoint.missed = 0, 0
        endpoint.failing_since = endpoint.paused_until = None
    endpoint.save()
    return endpoint


@transaction.atomic
def delete_endpoint(*, actor: User, endpoint_id: int) -> None:
    """Delete the actor's own webhook at once; its log goes a batch at a time."""
    endpoint = _lock(actor, endpoint_id)
    disable(endpoint, reason="", now=database_now())
    endpoint.subscriptions.all().delete()
    endpoint.save(update_fields=_FIELDS)
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(deleted_at=Now())


@transaction.atomic
def rotate_secret(*, actor: User, endpoint_id: int) -> tuple[WebhookEndpoint, str]:
    """Give a webhook a new secret and return it; the previous one also signs for a day."""
    endpoint = _lock(actor, endpoint_id)
    endpoint.old_salt, endpoint.salt = endpoint.salt, new_salt()
    endpoint.old_until = database_now() + timedelta(seconds=ROTATION_S)
    endpoint.save(update_fields=("salt", "old_salt", "old_until"))
    return endpoint, secret_of(endpoint.salt)


@transaction.atomic
def ping_endpoint(*, actor: User, endpoint_id: int) -> OutboxEvent:
    """Send a test event to the actor's own webhook."""
    endpoint = _lock(actor, endpoint_id)
    _check_open(endpoint)
    data = {"endpoint": endpoint.pk, "url": f"/api/v1/webhooks/{endpoint.pk}/"}
    # Earlier failures must not delay the test: its sender waits for the result.
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(paused_until=None)
    return OutboxEvent.objects.create(type=PING.name, data=data, audience=[], endpoint=endpoint)


@transaction.atomic
def redeliver(*, actor: User, endpoint_id: int, delivery_id: int) -> Delivery:
    """Send an event to the actor's own webhook again, whatever the result of its delivery."""
    endpoint = _lock(actor, endpoint_id)
    _check_open(endpoint)
    found = Delivery.objects.select_for_update().filter(endpoint=endpoint, pk=delivery_id)
    delivery = found.first()
    if delivery is None:
        raise NotFound(f"There is no delivery {delivery_id} of this webhook.")
    now = database_now()
    if delivery.state != DeliveryState.WAITING:
        endpoint.waiting += 1
    delivery.state, delivery.tries, delivery.ended_at = DeliveryState.WAITING, 0, None
    delivery.next_at = now
    delivery.save(update_fields=("state", "tries", "ended_at", "next_at"))
    endpoint.paused_until = None
    wake(endpoint, now=now)
    endpoint.save(update_fields=("waiting", "due_at", "paused_until"))
    return delivery


@transaction.atomic
def choose_mail(*, actor: User, events: Collection[str], site: str) -> list[str]:
    """Subscribe the actor to e-mail about exactly these events; return them."""
    known = _known_events(events, MAILED, can_be_empty=True)
    if known and not actor.email:
        raise Conflict("Your account has no e-mail address.", code="no_email", field="events")
    if known and not actor.has_verified_email:
        raise Conflict(
            f"{actor.email} is not verified. Follow the link in our e-mail to it first; your "
            "account page sends it again.",
            code="email_not_verified",
            field="events",
        )
    User.objects.select_for_update().get(pk=actor.pk)
    endpoint, _ = WebhookEndpoint.objects.get_or_create(
        owner=actor, channel=Channel.MAIL, defaults={"site": site}
    )
    _subscribe(endpoint, known)
    return known


def mail_events(person: User) -> list[str]:
    """Return the events that a person receives by e-mail."""
    found = Subscription.objects.filter(endpoint__owner=person, endpoint__channel=Channel.MAIL)
    return sorted(found.values_list("event", flat=True))


def _lock(actor: User, endpoint_id: int) -> WebhookEndpoint:
    owned = WebhookEndpoint.objects.owned_by(actor).select_for_update()
    endpoint = owned.filter(pk=endpoint_id).first()
    if endpoint is None:
        raise NotFound(f"You have no webhook {endpoint_id}.")
    return endpoint


def _check_open(endpoint: WebhookEndpoint) -> None:
    if not endpoint.is_enabled:
        raise Conflict(
            "This webhook is disabled. Enable it first; then you can resend missed messages.",
            code="webhook_disabled",
        )
    if endpoint.waiting >= MOST_WAITING:
        raise Conflict(
            f"{endpoint.waiting:,} deliveries wait for this webhook already.",
            code="too_many_waiting",
        )


def _known_events(
    events: Collection[str], known: Collection[str], *, can_be_empty: bool = False
) -> list[str]:
    if unknown := sorted(set(events) - set(known)):
        raise InvalidInput(
            f"There are no events named {', '.join(unknown)[:200]}. There are: "
            f"{', '.join(known)}.",
            code="unknown_event",
            field="events",
            allowed=list(known),
        )
    if not events and not can_be_empty:
        raise InvalidInput(
            "Choose at least one event.", code="required", field="events", allowed=list(known)
        )
    return [name for name in known if name in events]


def _subscribe(endpoint: WebhookEndpoint, events: Collection[str]) -> None:
    endpoint.subscriptions.exclude(event__in=events).delete()
    Subscription.objects.bulk_create(
        (Subscription(endpoint=endpoint, event=event) for event in events),
        ignore_conflicts=True,
    )
