"""Permissions and states for steps of a tournament; the lock that admits one step at a time."""

from __future__ import annotations

from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, NotAllowed
from pentathlon.tournaments.models import Entry, Tournament, TournamentState


def lock_own(actor: User, tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    """Lock a tournament that the actor organises, in one of these states.

    The organiser is asked for under the lock: it may have been handed over while this waited.
    """
    tournament = lock_row(tournament)
    check_organiser(actor, tournament, to=to)
    check_state(tournament, *states, to=to)
    return tournament


def lock_row(tournament: Tournament) -> Tournament:
    """Lock a tournament in any state, and return it as it is now."""
    return Tournament.objects.select_for_update().get(pk=tournament.pk)


def check_may_create(actor: User, *, what: str) -> None:
    """Refuse an actor who is not an organiser."""
    if not actor.is_organiser:
        raise NotAllowed(f"Only organisers create {what}.", code="not_an_organiser")


def lock(tournament: Tournament, *states: TournamentState, to: str) -> Tournament:
    """Lock a tournament in one of these states."""
    tournament = lock_row(tournament)
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
    """Return whether this person organises the tournament, alone or with others."""
    if person is None:
        return False
    if person.pk == tournament.owner_id:
        return True
    return tournament.co_organisers.filter(person=person).exists()


def check_organiser(actor: User, tournament: Tournament, *, to: str) -> None:
    """Refuse an actor who does not organise the tournament."""
    if not actor.is_superuser and not is_organiser_of(actor, tournament):
        names = tournament.organiser_names
        verb = "organises" if len(names) == 1 else "organise"
        raise NotAllowed(
            f"Only {', '.join(names)}, who {verb} it, may {to} this tournament.",
            code="not_your_tournament",
        )


def check_owner(actor: User, tournament: Tournament, *, to: str) -> None:
    """Refuse a co-organiser, and everybody else but the owner of the tournament."""
    check_organiser(actor, tournament, to=to)
    if not actor.is_superuser and actor.pk != tournament.owner_id:
        raise NotAllowed(
            f"Only {tournament.owner.username}, whose tournament it is, may {to} it.",
            code="not_the_owner",
        )


def check_may_manage(actor: User, tournament: Tournament, entry: Entry, *, to: str) -> None:
    """Refuse an actor who neither wrote the bot nor is of its team nor organises."""
    if actor.pk == entry.version.bot.owner_id or actor.is_superuser:
        return
    if is_organiser_of(actor, tournament):
        return
    if entry.team is None or actor.pk not in entry.team.member_ids():
        raise NotAllowed(
            f"Only its author, its team or an organiser may {to} a bot.", code="not_your_bot"
        )
