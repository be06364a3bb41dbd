"""Arrangements around a tournament: its text, dates and secrecy, and who may enter.

None of this is in the document, because none of it decides who plays whom.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.core.errors import DomainError, InvalidInput
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.entries.eligibility import EntryRules
from pentathlon.tournaments.guards import lock_own
from pentathlon.tournaments.models import (
    UNSTARTED,
    Tournament,
    TournamentState,
)
from pentathlon.tournaments.notices import audit_tournament
from pentathlon.tournaments.people_rows import Invitation
from pentathlon.tournaments.results.hidden_results import hide_results

MOST_INVITED: Final = 300
MOST_SHOWN: Final = 20
LONGEST_DESCRIPTION: Final = 4000
FARTHEST: Final = timedelta(days=731)
"""How far ahead a date may be: two years."""
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that turn the direction of the text after them, half characters."""
_MOMENTS: Final = ("closes_entries_at", "starts_at", "freezes_at", "releases_at")
_OF_RULES: Final = ("uploaded_from", "new_bots_from")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """Text, dates, secrecy and rules of entry; whatever is left out has its default."""

    description: str = ""
    """About the tournament, in Markdown."""
    closes_entries_at: datetime | None = None
    starts_at: datetime | None = None
    hides_results: bool = False
    freezes_at: datetime | None = None
    releases_at: datetime | None = None
    entry_rules: EntryRules = field(default_factory=EntryRules)
    by_invitation: bool = False
    invited: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the arrangement as JSON, with times in UTC."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        shown = {
            name: value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
            for name, value in values.items()
        }
        return shown | {"entry_rules": self.entry_rules.to_json(), "invited": list(self.invited)}

    def problems(self, *, rated: bool) -> Iterator[DomainError]:
        """Yield everything that is wrong with the arrangement."""
        yield from self._problems_of_text()
        yield from self._problems_of_dates()
        yield from self._problems_of_order()
        yield from self.entry_rules.problems()
        hides = self.hides_results or self.freezes_at is not None
        if hides and rated:
            yield InvalidInput(
                "Hidden results cannot count on the leaderboard, where they would show. Make the "
                "tournament unrated, or hide nothing.",
                code="hidden_and_rated",
                field="hides_results" if self.hides_results else "freezes_at",
            )
        if self.releases_at is not None and not hides:
            yield InvalidInput(
                "There will be no hidden results to release: hide results, or set a freeze.",
                code="not_hidden",
                field="releases_at",
            )
        if self.invited and not self.by_invitation:
            yield InvalidInput(
                "Only a tournament by invitation has invited authors.", field="invited"
            )
        if len(self.invited) > MOST_INVITED:
            yield _too_many_invited()

    def _problems_of_text(self) -> Iterator[InvalidInput]:
        if len(self.description) > LONGEST_DESCRIPTION or _UNSEEN.search(self.description):
            yield InvalidInput(
                f"A description has at most {LONGEST_DESCRIPTION} characters, without control "
                "characters.",
                code="bad_description",
                field="description",
                allowed={"maxLength": LONGEST_DESCRIPTION},
            )

    def _problems_of_dates(self) -> Iterator[InvalidInput]:
        now = database_now()
        farthest = now + FARTHEST
        rules = {f"entry_rules.{name}": getattr(self.entry_rules, name) for name in _OF_RULES}
        due = {name: getattr(self, name) for name in _MOMENTS}
        for name, moment in (due | rules).items():
            if moment is not None and moment > farthest:
                yield InvalidInput(
                    f"This is too far ahead; dates are at most two years from now, until "
                    f"{farthest:%d %b %Y}.",
                    code="too_late",
                    field=name,
                    allowed={"maximum": farthest.isoformat(timespec="seconds")},
                )
            elif moment is not None and name in due and moment <= now:
                yield InvalidInput(
                    "This time has passed; choose a later one.", code="past", field=name
                )

    def _problems_of_order(self) -> Iterator[InvalidInput]:
        for earlier, later, sentence in (
            ("closes_entries_at", "starts_at", "Entries close before the start, or at the start."),
            ("freezes_at", "releases_at", "The release comes after the freeze."),
        ):
            first, second = getattr(self, earlier), getattr(self, later)
            if first is not None and second is not None and second < first:
                yield InvalidInput(sentence, code="wrong_order", field=later)
        if self.freezes_at is not None and self.hides_results:
            yield InvalidInput(
                "All results are hidden already: leave the freeze out, or hide_results.",
                field="freezes_at",
            )


def problems_of(arrangement: Arrangement, *, rated: bool) -> list[DomainError]:
    """Return everything that is wrong with an arrangement, including unknown people."""
    people = checks.gather_errors([lambda: _people(arrangement.invited)])
    return [*arrangement.problems(rated=rated), *people]


def arrange(tournament: Tournament, arrangement: Arrangement) -> None:
    """Store a checked arrangement, instead of the one that a draft may have had."""
    people = _people(arrangement.invited)
    tournament.description = arrangement.description
    tournament.closes_entries_at = arrangement.closes_entries_at
    tournament.starts_at = arrangement.starts_at
    tournament.hides_results = arrangement.hides_results
    tournament.freezes_at = arrangement.freezes_at
    tournament.released_at = arrangement.releases_at
    tournament.entry_rules = arrangement.entry_rules.to_json()
    tournament.by_invitation = arrangement.by_invitation
    tournament.save()
    HiddenLane.objects.filter(lane=tournament.pk).delete()
    hide_results(tournament)
    tournament.invitations.exclude(person__in=people).delete()
    _invite(tournament, people)


def arrangement_of(tournament: Tournament) -> Arrangement:
    """Return the arrangement of a tournament, in the form in which it is asked for."""
    return Arrangement(
        description=tournament.description,
        closes_entries_at=tournament.closes_entries_at,
        starts_at=tournament.starts_at,
        hides_results=tournament.hides_results,
        freezes_at=tournament.freezes_at,
        releases_at=tournament.released_at,
        entry_rules=EntryRules.from_json(tournament.entry_rules),
        by_invitation=tournament.by_invitation,
        invited=tuple(invited_names(tournament)),
    )


@transaction.atomic
def invite_authors(
    *, actor: User, tournament: Tournament, usernames: Sequence[str]
) -> list[Invitation]:
    """Invite authors to a tournament by invitation; earlier invitations stay."""
    tournament = lock_own(actor, tournament, *UNSTARTED, to="invite authors to")
    if not tournament.by_invitation:
        raise InvalidInput(
            f"{tournament.name} is open: everybody may enter without an invitation.",
            code="not_by_invitation",
            field="invited",
        )
    _check_invited(set(usernames))
    people = _people(usernames)
    invited = tournament.invitations.values_list("person", flat=True)
    _check_invited({*invited, *(person.pk for person in people)})
    _invite(tournament, people)
    audit_tournament(
        AuditAction.TOURNAMENT_INVITE,
        tournament,
        actor=actor,
        people=[person.pk for person in people],
    )
    return list(tournament.invitations.select_related("person").order_by("person__username"))


def open_invitations(person: User) -> QuerySet[Invitation]:
    """Return this person's invitations to tournaments that are still open, newest first."""
    open_ones = Invitation.objects.filter(person=person, tournament__state=TournamentState.OPEN)
    return open_ones.select_related("tournament__owner").order_by("-pk")[:MOST_SHOWN]


def invited_names(tournament: Tournament) -> list[str]:
    """Return the names of invited authors; [] for a tournament that is not by invitation."""
    if not tournament.by_invitation:
        return []
    invited = tournament.invitations.order_by("person__username")
    return list(invited.values_list("person__username", flat=True))


def _check_invited(invited: Collection[object]) -> None:
    if len(invited) > MOST_INVITED:
        raise _too_many_invited()


def _too_many_invited() -> InvalidInput:
    return InvalidInput(f"At most {MOST_INVITED} authors are invited.", field="invited")


def _people(usernames: Sequence[str]) -> list[User]:
    known = {user.username: user for user in User.objects.filter(username__in=usernames)}
    if unknown := [name for name in usernames if name not in known]:
        raise InvalidInput(
            f"There is no user called {', '.join(map(repr, unknown[:5]))}.",
            code="unknown_person",
            field="invited",
        )
    return list(known.values())


def _invite(tournament: Tournament, people: Sequence[User]) -> None:
    Invitation.objects.bulk_create(
        [Invitation(tournament=tournament, person=person) for person in people],
        ignore_conflicts=True,
    )
