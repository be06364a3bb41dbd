"""Permissions and states for steps of a tournament; the lock that admits one step at a time."""

from __future__ import annotations

from pentathlon.accounts.models import User
from pentathlon.common.errors import Conflict, NotAllowed
from pentathlon.tournaments.models import Entry, Tournament, TournamentState


def lock_own(actor: User, tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    """Lock a tournament that the actor organises, in one of these states."""
    check_organiser(actor, tournament, to=to)
    return lock(tournament, *states, to=to)


def check_may_create(actor: User, *, what: str) -> None:
    """Refuse an actor who is not an organiser."""
    if not actor.is_organiser:
        raise NotAllowed(f"Only organisers create {what}.", code="not_an_organiser")


def lock(tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    """Lock a tournament in one of these states."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament.pk)
    check_state(tournament, *states, to=to)
    return tournament


def check_state(tournament: Tournament, *states: TournamentState, to: str) -> None:
    """Refuse a step that the present state of a tournament does not allow."""
    if tournament.state not in states:
        raise Conflict(
            f"{tournament.name} is {tournament.get_state_display()}; you can {to} the "
            f"tournament only while it is {' or '.join(str(state.label) for state in states)}.",
            code="wrong_state",
            allowed=[state.value for state in states],
        )


def is_organiser_of(person: User | None, tournament: Tournament) -> bool:
    """Return whether this person organises the tournament."""
    return person is not None and person.pk == tournament.owner_id


def check_organiser(actor: User, tournament: Tournament, *, to: str) -> None:
    """Refuse an actor who does not organise the tournament."""
    if not actor.is_superuser and not is_organiser_of(actor, tournament):
        raise NotAllowed(
            f"Only {tournament.owner.username}, who organises it, may {to} this tournament.",
            code="not_your_tournament",
        )


def check_may_manage(actor: User, tournament: Tournament, entry: Entry, *, to: str) -> None:
    """Refuse an actor who neither wrote the bot nor is of its team nor organises."""
    if actor.pk == entry.version.bot.owner_id or actor.is_superuser:
        return
    if is_organiser_of(actor, tournament):
        return
    if entry.team is None or actor.pk not in entry.team.member_ids():
        raise NotAllowed(
            f"Only its author, its team or the organiser may {to} a bot.", code="not_your_bot"
        )
