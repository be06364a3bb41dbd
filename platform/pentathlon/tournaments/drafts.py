"""Drafts: tournaments that only their organiser sees until they are open for entries."""

from __future__ import annotations

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.tournaments.guards import lock_own
from pentathlon.tournaments.models import Tournament, TournamentState


@transaction.atomic
def open_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Open a draft for entries; from now on everybody sees it."""
    tournament = lock_own(actor, tournament, TournamentState.DRAFT, to="open")
    tournament.state = TournamentState.OPEN
    tournament.save(update_fields=("state",))
    return tournament


@transaction.atomic
def delete_draft(*, actor: User, tournament: Tournament) -> None:
    """Delete a draft, which nobody else has seen; what was open once can only be cancelled."""
    tournament = lock_own(actor, tournament, TournamentState.DRAFT, to="delete")
    HiddenLane.objects.filter(lane=tournament.pk).delete()
    tournament.delete()
