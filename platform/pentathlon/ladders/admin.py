"""Ladders in the admin, to be looked at: what happens there follows from the rules."""

from django.contrib import admin

from pentathlon.ladders.models import Division, LadderMember, Season


class _ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Rows that nobody adds, changes or deletes here."""

    show_full_result_count = False

    def has_add_permission(self, request: object) -> bool:
        """Nobody may."""
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        """Nobody may."""
        return False

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        """Nobody may."""
        return False


@admin.register(Season)
class SeasonAdmin(_ReadOnly):
    """Seasons with their dates."""

    list_display = ("__str__", "ladder", "number", "state", "opened_at", "closes_at", "closed_at")
    list_filter = ("state", "ladder")
    list_select_related = ("ladder",)
    exclude = ("seating",)  # of 10,000 bots


@admin.register(Division)
class DivisionAdmin(_ReadOnly):
    """Divisions: how far their pairing is, and when it goes on."""

    list_display = (
        *("__str__", "season", "level", "tournament", "batches", "blocks"),
        *("has_newcomers", "is_settled", "due_at"),
    )
    list_filter = ("season__state", "season__ladder")
    list_select_related = ("season__ladder", "tournament")


@admin.register(LadderMember)
class LadderMemberAdmin(_ReadOnly):
    """Bots and ladders: what authors have chosen, and which version plays."""

    list_display = ("bot", "ladder", "choice", "version", "season")
    list_filter = ("ladder", "choice")
    list_select_related = ("bot", "ladder", "version__bot", "season__ladder")
    search_fields = ("bot__name", "bot__owner__username")
