from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from pentathlon.accounts.audit.admin import AuditedAdmin
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.core.admin import ReadOnlyAdmin


@admin.register(Bot)
class BotAdmin(AuditedAdmin):
    """Bots, searchable by name and owner; an offensive name may be changed."""

    list_display = ("name", "owner", "created_at")
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username")
    readonly_fields = ("owner", "is_reference", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow nobody: bots come from uploads only."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Allow nobody: results belong to bots. Their versions can be retired or disqualified."""
        return False


@admin.register(BotVersion)
class BotVersionAdmin(ReadOnlyAdmin):
    """Versions, read-only, because an upload is immutable."""

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
        """Continue on the page that asks for the reason."""
        ids = list(versions.values_list("pk", flat=True)[:2])
        if len(ids) == 1:
            return redirect("version_disqualify", ids[0])
        self.message_user(request, "Choose one version: each has its own reason.", messages.ERROR)
        return None
