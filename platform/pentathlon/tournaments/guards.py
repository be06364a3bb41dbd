"""Permissions, states and revisions for steps of a tournament; its lock; and its problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, Final

from pentathlon.accounts.models import User
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import Conflict, Damaged, DomainError, NotAllowed
from pentathlon.tournaments.models import Entry, Tournament, TournamentState
from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.record import canonical

_LONGEST: Final = Tournament._meta.get_field("problem").max_length or 0


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


def revision_of(**content: Any) -> str:  # Any: JSON
    """Return a digest of all that an edit can change."""
    return sha256(canonical(content)).hexdigest()[:32]


def check_revision(tournament: Tournament, revision: str, *, stored: str) -> None:
    """Refuse an edit of another revision than the stored one.

    Raises:
        Conflict: `changed_meanwhile`.
    """
    if stored != revision:
        raise Conflict(
            f"{tournament.name} has changed since you began. Read it again, then repeat "
            "your change.",
            code="changed_meanwhile",
            field="revision",
            allowed=[stored],
        )


class Unreadable(Damaged):
    """This release cannot read what is stored of a tournament."""

    code = "tournament_unreadable"


@contextmanager
def reading(tournament: Tournament, what: str) -> Iterator[None]:
    """Raise `Unreadable` for every way in which a stored value can be of another format."""
    try:
        yield
    except (EngineError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
        raise Unreadable(
            f"This release of the site cannot read {what} of tournament {tournament.pk}: "
            f"{str(e) or type(e).__name__}. Its organisers can cancel it; staff can go back to "
            "the release that it was made with."
        ) from e


class TournamentSteps(Bulkheads[int]):
    """A step for one tournament after another; one that fails says so on its page."""

    def __init__(self, what: str, *, told: str) -> None:
        """`told` is the sentence that people read, for example "No table can be made.".

        Each step has one of its own: by it, the step finds its problems when a process starts.
        """
        super().__init__(what)
        self._told = told

    def known_to_fail(self) -> Iterable[int]:
        """Return the tournaments that had this problem when another process did this work."""
        stopped = Tournament.objects.filter(problem__startswith=self._told)
        return stopped.values_list("pk", flat=True)

    def fails(self, key: int, error: Exception) -> None:
        """Store the problem with the tournament."""
        reason = (
            error.detail
            if isinstance(error, DomainError)
            else f"The site ran into an error of its own ({type(error).__name__}), which its log "
            "has in full, and tries again every minute."
        )
        problem = f"{self._told} {reason}"[:_LONGEST]
        Tournament.objects.filter(pk=key).exclude(problem=problem).update(problem=problem)

    def works_again(self, key: int) -> None:
        """Take the problem away; one that another step has with the tournament stays."""
        own = Tournament.objects.filter(pk=key, problem__startswith=self._told)
        own.update(problem="")
