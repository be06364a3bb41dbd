"""Locks on tournaments: each step is taken by one person at a time, in a state that allows it."""

from __future__ import annotations

from pentathlon.accounts.models import User
from pentathlon.common.errors import Conflict, NotAllowed
from pentathlon.tournaments.models import Tournament, TournamentState


def lock_own(actor: User, tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    """Lock a tournament that the actor organises, in one of these states."""
    if actor.pk != tournament.owner_id and not actor.is_superuser:
        raise NotAllowed(
            f"Only {tournament.owner.username}, who organises it, may {to} this tournament.",
            code="not_your_tournament",
        )
    return lock(tournament, *states, to=to)


def lock(tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    """Lock a tournament in one of these states."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if tournament.state not in states:
        raise Conflict(
            f"{tournament.name} is {tournament.get_state_display()}; one can {to} only while it "
            f"is {' or '.join(str(state.label) for state in states)}.",
            code="wrong_state",
        )
    return tournament
