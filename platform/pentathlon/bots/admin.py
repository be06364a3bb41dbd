from django.contrib import admin
from django.http import HttpRequest

from pentathlon.bots.models import Bot, BotVersion


@admin.register(Bot)
class BotAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Bots, to be found by name and owner."""

    list_display = ("name", "owner", "created_at")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username")
    readonly_fields = ("owner", "created_at")


@admin.register(BotVersion)
class BotVersionAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Versions, to be looked at: an upload is immutable."""

    list_display = ("__str__", "state", "state_reason", "created_at")
    list_filter = ("state",)
    list_select_related = ("bot",)
    search_fields = ("bot__name",)
    exclude = ("archive", "validation_log")  # the log is for the author alone

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Versions come from uploads only."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Look, but change nothing."""
        return False
