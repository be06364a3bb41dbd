"""Ladders in the admin, read-only: everything in them follows from the rules."""

from django.contrib import admin

from pentathlon.core.admin import ReadOnlyAdmin
from pentathlon.ladders.models import Division, LadderMember, Season


@admin.register(Season)
class SeasonAdmin(ReadOnlyAdmin):
    """Seasons with their dates."""

    list_display = ("__str__", "ladder", "number", "state", "opened_at", "closes_at", "closed_at")
    list_filter = ("state", "ladder")
    list_select_related = ("ladder",)
    exclude = ("seating",)  # it may name 10,000 bots


@admin.register(Division)
class DivisionAdmin(ReadOnlyAdmin):
    """Divisions: how far their pairing is, and when it goes on."""

    list_display = (
        *("__str__", "season", "level", "tournament", "batches", "blocks"),
        *("has_newcomers", "is_settled", "due_at"),
    )
    list_filter = ("season__state", "season__ladder")
    list_select_related = ("season__ladder", "tournament")


@admin.register(LadderMember)
class LadderMemberAdmin(ReadOnlyAdmin):
    """Bots and ladders: what authors have chosen, and which version plays."""

    list_display = ("bot", "ladder", "choice", "version", "season")
    list_filter = ("ladder", "choice")
    list_select_related = ("bot", "ladder", "version__bot", "season__ladder")
    search_fields = ("bot__name", "bot__owner__username")
