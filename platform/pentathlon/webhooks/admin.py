"""Webhooks in the admin, read-only: their owners, and whether they work."""

from django.contrib import admin

from pentathlon.core.admin import ReadOnlyAdmin
from pentathlon.webhooks.models import Delivery, WebhookEndpoint


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(ReadOnlyAdmin):
    """Endpoints, how many deliveries wait there, and since when they fail."""

    list_display = (
        *("id", "owner", "channel", "url", "is_enabled", "waiting", "missed"),
        *("failures", "failing_since"),
    )
    list_filter = ("channel", "is_enabled")
    list_select_related = ("owner",)
    search_fields = ("owner__username", "url")
    exclude = ("salt", "old_salt")  # secrets are made of them


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    """Deliveries and whether they have arrived."""

    list_display = ("id", "endpoint", "event", "state", "tries", "next_at", "created_at")
    list_filter = ("state",)
    list_select_related = ("endpoint", "event")
    raw_id_fields = ("endpoint", "event")
