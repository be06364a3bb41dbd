from __future__ import annotations

import secrets
import uuid
from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Q, Sum
from django.db.models.functions import Now

from pentathlon.accounts.models import User

LONGEST_URL: Final = 500
LONGEST_ANSWER: Final = 1024
"""The most bytes of an answer that are kept."""
_SALT_BYTES: Final = 24


def new_salt() -> str:
    """Return a new salt; a secret is derived from it and the key of the installation."""
    return secrets.token_hex(_SALT_BYTES)


class Channel(models.TextChoices):
    """Channels by which people are notified."""

    HTTP = "http", "webhook"
    MAIL = "mail", "e-mail"


class WebhookEndpointQuerySet(models.QuerySet["WebhookEndpoint"]):
    """Named queries for endpoints."""

    def kept(self) -> Self:
        """Return endpoints that nobody has deleted."""
        return self.filter(deleted_at=None)

    def owned_by(self, person: User) -> Self:
        """Return the webhooks of one person, without their e-mail."""
        return self.kept().filter(owner=person, channel=Channel.HTTP)

    def working(self) -> Self:
        """Return endpoints that events are sent to."""
        return self.kept().filter(is_enabled=True)

    def listening(self, event: str) -> Self:
        """Return endpoints that want events of a type."""
        return self.working().filter(subscriptions__event=event)

    def count_waiting(self) -> int:
        """Return how many deliveries wait, as the endpoints with something to send count them."""
        busy = self.filter(due_at__isnull=False)
        return int(busy.aggregate(total=Sum("waiting"))["total"] or 0)

    def due(self, *, is_failing: bool) -> Self:
        """Return endpoints with something to send now, the longest waiting first."""
        due = self.filter(due_at__lte=Now(), failing_since__isnull=not is_failing)
        return due.order_by("due_at", "pk")


class WebhookEndpoint(models.Model):
    """A destination for events of one person, and its state."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="endpoints"
    )
    channel = models.CharField(max_length=4, choices=Channel, default=Channel.HTTP)
    url = models.CharField(max_length=LONGEST_URL, blank=True)
    """Where to post; empty for the e-mail address of the owner's account."""
    site = models.CharField(max_length=300)
    """The address of this site as the owner knows it, for links: scheme and host."""
    salt = models.CharField(max_length=64, default=new_salt)
    old_salt = models.CharField(max_length=64, blank=True)
    """The salt of the previous secret, which still signs until `old_until`."""
    old_until = models.DateTimeField(null=True)
    is_enabled = models.BooleanField(default=True)
    disabled_reason = models.CharField(max_length=300, blank=True)
    """Why the platform has disabled it; empty if the owner has."""
    disabled_at = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)
    """Attempts that have failed since the last one that succeeded."""
    failing_since = models.DateTimeField(null=True)
    paused_until = models.DateTimeField(null=True)
    """After a failure, nothing is sent before this time."""
    due_at = models.DateTimeField(null=True)
    """When to look at it next: a delivery is due then, or the sender that holds it has died. Null
    if nothing waits."""
    waiting = models.PositiveIntegerField(default=0)
    """How many deliveries wait."""
    missed = models.PositiveIntegerField(default=0)
    """Events that were not queued because too many deliveries waited."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    deleted_at = models.DateTimeField(null=True)
    """When its owner deleted it. The row goes once its deliveries are gone, a batch at a time."""

    objects = WebhookEndpointQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("owner",), condition=Q(channel="mail"), name="webhooks_mail_once"
            ),
        )
        indexes = (
            models.Index(
                fields=("due_at", "id"),
                condition=Q(due_at__isnull=False, failing_since=None),
                name="webhooks_due",
            ),
            models.Index(
                fields=("due_at", "id"),
                condition=Q(due_at__isnull=False, failing_since__isnull=False),
                name="webhooks_due_failing",
            ),
            models.Index(
                fields=("id",), condition=Q(deleted_at__isnull=False), name="webhooks_deleted"
            ),
        )

    def __str__(self) -> str:
        return self.url or f"e-mail of {self.owner_id}"

    @property
    def events(self) -> list[str]:
        """The types of events that this endpoint wants, in order."""
        return sorted(each.event for each in self.subscriptions.all())


class Subscription(models.Model):
    """One type of events that an endpoint wants."""

    endpoint = models.ForeignKey(
        WebhookEndpoint, on_delete=models.CASCADE, related_name="subscriptions"
    )
    event = models.CharField(max_length=40)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("event", "endpoint"), name="webhooks_subscription_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.event} to {self.endpoint_id}"


class OutboxEvent(models.Model):
    """Something that happened; the row is written in the same transaction."""

    public_id = models.UUIDField(default=uuid.uuid4, editable=False)
    type = models.CharField(max_length=40)
    data = models.JSONField()
    """Ids, and API addresses without the host."""
    audience = models.JSONField()
    """The ids of the people whom it concerns."""
    endpoint = models.ForeignKey(
        WebhookEndpoint, null=True, on_delete=models.CASCADE, related_name="pings"
    )
    """The only endpoint that gets it, if it is a test event; else null."""
    spread_after = models.BigIntegerField(null=True, default=0)
    """Endpoints up to this id have their deliveries; null if all have."""
    happened_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = (
            models.Index(
                fields=("id",), condition=Q(spread_after__isnull=False), name="webhooks_unspread"
            ),
        )

    def __str__(self) -> str:
        return f"{self.type} {self.pk}"

    @property
    def message_id(self) -> str:
        """The `webhook-id` of all attempts to deliver this event."""
        return f"msg_{self.public_id.hex}"


class DeliveryState(models.TextChoices):
    """States of a delivery."""

    WAITING = "waiting", "waiting"
    DELIVERED = "delivered", "delivered"
    FAILED = "failed", "given up"


class Delivery(models.Model):
    """One event on its way to one endpoint."""

    endpoint = models.ForeignKey(
        WebhookEndpoint, on_delete=models.CASCADE, related_name="deliveries"
    )
    event = models.ForeignKey(OutboxEvent, on_delete=models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=9, choices=DeliveryState, default=DeliveryState.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    """Attempts since it was queued; sending it again by hand starts the count anew."""
    next_at = models.DateTimeField(db_default=Now())
    """When to try next, while it waits."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("endpoint", "event"), name="webhooks_delivery_once"),
        )
        indexes = (
            models.Index(
                fields=("endpoint", "next_at", "id"),
                condition=Q(state="waiting"),
                name="webhooks_waiting",
            ),
            models.Index(fields=("endpoint", "-id"), name="webhooks_of_endpoint"),
        )

    def __str__(self) -> str:
        return f"{self.event_id} to {self.endpoint_id}"


class DeliveryAttempt(models.Model):
    """One try to deliver an event, and its result."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    status = models.PositiveSmallIntegerField(null=True)
    """The status of the answer; null if there was none."""
    error = models.CharField(max_length=300, blank=True)
    """Why it failed; empty if it did not."""
    answer = models.TextField(blank=True)
    """The beginning of the answer."""
    duration_ms = models.PositiveIntegerField()
    tried_at = models.DateTimeField(db_default=Now(), editable=False)

    def __str__(self) -> str:
        return f"attempt {self.pk} at delivery {self.delivery_id}"
