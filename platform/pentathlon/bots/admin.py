from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

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

    list_display = ("__str__", "state", "state_reason", "stopped_at", "stopped_by", "created_at")
    list_filter = ("state",)
    list_select_related = ("bot", "stopped_by")
    search_fields = ("bot__name",)
    actions = ("disqualify",)
    exclude = ("archive", "validation_log")  # the log is for the author alone

    @admin.action(description="Disqualify the selected bot version…")
    def disqualify(
        self, request: HttpRequest, versions: QuerySet[BotVersion]
    ) -> HttpResponse | None:
        """Go on to the page that asks why."""
        ids = list(versions.values_list("pk", flat=True)[:2])
        if len(ids) == 1:
            return redirect("version_disqualify", ids[0])
        self.message_user(request, "Choose one version: each has its own reason.", messages.ERROR)
        return None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Versions come from uploads only."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Look, but change nothing."""
        return False
