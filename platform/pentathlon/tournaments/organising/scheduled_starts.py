"""Starts tournaments at the time that their organisers set, by the clock of the database."""

from __future__ import annotations

from django.db.models.functions import Now

from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import DomainError
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.services import start_tournament

_LONGEST: int = Tournament._meta.get_field("start_problem").max_length or 0
_starts = Bulkheads[int]("start of tournament")


def start_due_tournaments() -> int:
    """Start every tournament whose time has come; return how many started.

    A tournament that cannot start keeps the reason, which its page shows, and is left alone until
    an entry comes or goes, or its organiser starts it.
    """
    due = Tournament.objects.filter(
        state=TournamentState.OPEN, starts_at__lte=Now(), start_problem=""
    )
    in_order = due.order_by("starts_at", "pk").values_list("pk", flat=True)
    return sum(_starts.each(list(in_order), _start))


def _start(tournament_id: int) -> bool:
    tournament = Tournament.objects.select_related("owner").get(pk=tournament_id)
    try:
        start_tournament(actor=tournament.owner, tournament=tournament)
    except DomainError as error:
        still_open = Tournament.objects.filter(pk=tournament.pk, state=TournamentState.OPEN)
        still_open.update(start_problem=error.detail[:_LONGEST])
        return False
    return True
