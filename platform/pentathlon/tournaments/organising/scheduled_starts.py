"""Starts tournaments at the time that their organisers set, by the clock of the database."""

from __future__ import annotations

from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from pentathlon.common.errors import DomainError
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.services import start_tournament

_LONGEST: int = Tournament._meta.get_field("start_problem").max_length or 0


def start_due_tournaments() -> int:
    """Start every tournament whose time has come; return how many started.

    A tournament that cannot start keeps the reason, which its page shows, and is left alone until
    an entry comes or goes, or its organiser starts it.

    Raises:
        ExceptionGroup: what went wrong, after all other tournaments.
    """
    due = Tournament.objects.filter(
        state=TournamentState.OPEN, starts_at__lte=Now(), start_problem=""
    )
    started = 0
    errors = []
    for tournament in due.select_related("owner").order_by("starts_at", "pk"):
        try:
            started += _start(tournament)
        except (InterfaceError, OperationalError):
            raise
        except Exception as error:
            error.add_note(f"at the start of tournament {tournament.pk}")
            errors.append(error)
    if errors:
        raise ExceptionGroup("starts", errors)
    return started


def _start(tournament: Tournament) -> bool:
    try:
        start_tournament(actor=tournament.owner, tournament=tournament)
    except DomainError as error:
        still_open = Tournament.objects.filter(pk=tournament.pk, state=TournamentState.OPEN)
        still_open.update(start_problem=error.detail[:_LONGEST])
        return False
    return True
