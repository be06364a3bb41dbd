"""Handing a tournament over to another organiser, who accepts it; or staff decide, with a reason.

Whoever plays in a tournament cannot take it over: an organiser sees hidden results before
everybody else, disqualifies and replaces bots, and has matches played again. The document does not
name the organiser, so schedule and seeds stay as they are.
"""

from __future__ import annotations

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.accounts.roles import LONGEST_REASON, is_staff
from pentathlon.accounts.services import find_person
from pentathlon.audit.actions import AuditAction
from pentathlon.common.errors import Conflict, InvalidInput, NotAllowed, NotFound
from pentathlon.handovers.models import HANDED_OVER_IN, Handover
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.tournaments.audit_events import audit_tournament
from pentathlon.tournaments.guards import check_organiser, lock
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.notices import note_offer, note_tournament


def offer_of(tournament: Tournament, *, reader: User) -> Handover | None:
    """Return the offer of a tournament; None if there is none that the reader may know of."""
    found = Handover.objects.select_related("person").filter(tournament=tournament).first()
    knows = found is not None and (
        reader.pk in {found.person_id, tournament.owner_id} or is_staff(reader)
    )
    return found if knows else None


@transaction.atomic
def offer_tournament(*, actor: User, tournament: Tournament, username: str) -> Handover:
    """Offer a tournament to another organiser, in place of an earlier offer."""
    tournament = _lock(tournament)
    check_organiser(actor, tournament, to="hand over")
    person = _successor(tournament, username)
    Handover.objects.filter(tournament=tournament).delete()
    offer = Handover.objects.create(tournament=tournament, person=person)
    audit_tournament(AuditAction.TOURNAMENT_OFFER, tournament, actor=actor, person=person)
    note_offer(tournament, person)
    return offer


@transaction.atomic
def end_offer(*, actor: User, tournament: Tournament) -> None:
    """Take an offer back as the organiser, or decline it as the person who got it."""
    found = Handover.objects.select_for_update().filter(tournament=tournament).first()
    if found is None or (found.person_id != actor.pk and not _organises(actor, tournament)):
        raise _no_offer(tournament)
    found.delete()


@transaction.atomic
def accept_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Make the actor the organiser of a tournament that was offered to them."""
    tournament = _lock(tournament)
    if not Handover.objects.filter(tournament=tournament, person=actor).exists():
        raise _no_offer(tournament)
    return _hand_over(tournament, actor, by=actor, reason="")


@transaction.atomic
def assign_tournament(
    *, actor: User, tournament: Tournament, username: str, reason: str
) -> Tournament:
    """Give a tournament to another organiser without asking either person; only staff may."""
    if not is_staff(actor):
        raise NotAllowed("Only for the staff of this site.", code="staff_only")
    reason = reason.strip()
    if not 1 <= len(reason) <= LONGEST_REASON or not reason.isprintable():
        raise InvalidInput(
            f"Say why in 1 to {LONGEST_REASON} printable characters: everybody can read it.",
            code="required",
            field="reason",
        )
    tournament = _lock(tournament)
    return _hand_over(tournament, _successor(tournament, username), by=actor, reason=reason)


def _lock(tournament: Tournament) -> Tournament:
    if tournament.is_ladder:
        raise Conflict("A ladder belongs to the platform.", code="ladder")
    return lock(tournament, *HANDED_OVER_IN, to="hand it over")


def _hand_over(tournament: Tournament, person: User, *, by: User, reason: str) -> Tournament:
    _check_successor(tournament, person)
    before = tournament.owner
    tournament.owner = person
    tournament.save(update_fields=("owner",))
    HiddenLane.objects.filter(lane=tournament.pk).update(organiser=person)
    Handover.objects.filter(tournament=tournament).delete()
    audit_tournament(
        AuditAction.TOURNAMENT_HAND_OVER,
        tournament,
        actor=by,
        person=person,
        reason=reason,
        before=before.pk,
    )
    note_tournament("tournament.handed_over", tournament, besides={before.pk})
    return tournament


def _successor(tournament: Tournament, username: str) -> User:
    person = find_person(username)
    if person is None:
        raise InvalidInput(
            f"There is no user called {username[:60]!r}.", code="unknown_person", field="person"
        )
    _check_successor(tournament, person)
    return person


def _check_successor(tournament: Tournament, person: User) -> None:
    """Refuse somebody who may not organise a tournament that has begun without them."""
    if person.pk == tournament.owner_id:
        raise Conflict(
            f"{person.username} organises this tournament already.",
            code="no_change",
            field="person",
        )
    if not person.is_organiser or not person.is_active:
        raise Conflict(
            f"{person.username} is not an organiser. Staff give that role.",
            code="not_an_organiser",
            field="person",
        )
    if tournament.entries.active().behind(person).exists():
        raise Conflict(
            f"{person.username} plays in this tournament, and its organiser may see "
            "hidden results and decide about entries. Withdraw those bots first, or ask somebody "
            "else.",
            code="plays_in_it",
            field="person",
        )


def _organises(actor: User, tournament: Tournament) -> bool:
    return actor.pk == tournament.owner_id or actor.is_superuser


def _no_offer(tournament: Tournament) -> NotFound:
    return NotFound(f"There is no offer of {tournament.name} for you.", code="no_offer")
