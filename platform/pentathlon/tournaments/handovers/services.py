"""Handing a tournament over to another organiser, or sharing it with one, who accepts it.

Staff may also decide who organises it, with a reason. Whoever plays in a tournament can neither
take it over nor join its organisers: they see hidden results before everybody else, disqualify and
replace bots, and have matches played again. The document names no organiser, so schedule and seeds
stay as they are.

Co-organisers may do all that the owner may, but hand the tournament over and remove each other.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import LONGEST_REASON, is_staff
from pentathlon.accounts.services import find_person
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed, NotFound
from pentathlon.tournaments.guards import (
    check_organiser,
    check_owner,
    check_state,
    is_organiser_of,
    lock_row,
)
from pentathlon.tournaments.handovers.models import (
    HANDED_OVER_IN,
    SHARED_IN,
    Handover,
    OrganiserRole,
)
from pentathlon.tournaments.models import Tournament, TournamentQuerySet
from pentathlon.tournaments.notices import (
    audit_tournament,
    note_change,
    note_offer,
    note_tournament,
)
from pentathlon.tournaments.people_rows import CoOrganiser
from pentathlon.tournaments.results.hidden_results import show_to_organisers


class OrganiserLine(NamedTuple):
    """Somebody who organises a tournament, or was asked to."""

    person: User
    role: OrganiserRole
    since: datetime | None
    """When a co-organiser accepted."""


def offer_of(tournament: Tournament, *, reader: User) -> Handover | None:
    """Return the offer of a tournament that concerns the reader; None if there is none.

    That is the reader's own offer; for its organisers and staff, that to hand it over.
    """
    offers = Handover.objects.select_related("person").filter(tournament=tournament)
    own = offers.filter(person=reader).first()
    if own is not None or not (is_staff(reader) or is_organiser_of(reader, tournament)):
        return own
    return offers.filter(is_shared=False).first()


def organisers_of(tournament: Tournament, *, reader: User | None) -> list[OrganiserLine]:
    """Return who organises a tournament, the owner first.

    Its organisers and staff see as well who was asked to join them.
    """
    shared = tournament.co_organisers.select_related("person").order_by("since", "pk")
    lines = [
        OrganiserLine(tournament.owner, OrganiserRole.OWNER, None),
        *(OrganiserLine(each.person, OrganiserRole.CO_ORGANISER, each.since) for each in shared),
    ]
    is_told = reader is not None and (is_staff(reader) or is_organiser_of(reader, tournament))
    if is_told:
        offers = tournament.offers.filter(is_shared=True).select_related("person")
        lines += [
            OrganiserLine(each.person, OrganiserRole.ASKED, None) for each in offers.order_by("pk")
        ]
    return lines


def visible_or_offered(person: User) -> TournamentQuerySet:
    """Return the tournaments that a person may see, those offered to them included."""
    visible = Tournament.objects.visible_to(person)
    offered = Handover.objects.open_to(person).order_by().values("tournament")
    return Tournament.objects.filter(Q(pk__in=visible.values("pk")) | Q(pk__in=offered))


@transaction.atomic
def offer_tournament(*, actor: User, tournament: Tournament, username: str) -> Handover:
    """Offer a tournament to another organiser, in place of an earlier offer."""
    tournament = _lock(tournament)
    check_owner(actor, tournament, to="hand over")
    check_state(tournament, *HANDED_OVER_IN, to="hand it over")
    person = _successor(tournament, username)
    tournament.offers.filter(is_shared=False).delete()
    return _offer(tournament, person, actor=actor, is_shared=False)


@transaction.atomic
def offer_share(*, actor: User, tournament: Tournament, username: str) -> Handover:
    """Invite another organiser to organise a tournament together."""
    tournament = _lock(tournament)
    check_organiser(actor, tournament, to="share")
    check_state(tournament, *SHARED_IN, to="share")
    person = _successor(tournament, username)
    if is_organiser_of(person, tournament):
        raise _organises_already(person)
    return _offer(tournament, person, actor=actor, is_shared=True)


@transaction.atomic
def end_offer(*, actor: User, tournament: Tournament) -> None:
    """Decline the offer that the actor got, or as the owner take back that to hand it over."""
    tournament = lock_row(tournament)
    found = tournament.offers.filter(person=actor).first()
    if found is None and (actor.is_superuser or actor.pk == tournament.owner_id):
        found = tournament.offers.filter(is_shared=False).first()
    if found is None:
        raise _no_offer(tournament)
    found.delete()


@transaction.atomic
def accept_tournament(*, actor: User, tournament: Tournament) -> Tournament:
    """Make the actor the organiser of a tournament that was offered to them, or one of several."""
    tournament = _lock(tournament)
    offer = tournament.offers.filter(person=actor).first()
    if offer is None:
        raise _no_offer(tournament)
    if not offer.is_shared:
        return _hand_over(tournament, actor, by=actor, reason="")
    return _join(tournament, actor)


@transaction.atomic
def remove_organiser(*, actor: User, tournament: Tournament, username: str) -> None:
    """Take a co-organiser out, or the offer to become one back; the owner and they themselves may.

    Raises:
        NotFound: `not_an_organiser`, nobody of that name organises it or was asked to.
    """
    tournament = lock_row(tournament)
    offers = tournament.offers.filter(is_shared=True, person__username__iexact=username)
    if username.casefold() != actor.username.casefold():
        check = check_organiser if offers.exists() else check_owner
        check(actor, tournament, to="remove an organiser of")
    if offers.delete()[0]:
        return
    found = tournament.co_organisers.filter(person__username__iexact=username)
    row = found.select_related("person").first()
    if row is None:
        raise NotFound(
            f"{username[:60]!r} is not a co-organiser of {tournament.name}. Its owner hands it "
            "over instead of leaving.",
            code="not_an_organiser",
        )
    row.delete()
    show_to_organisers(tournament)
    audit_tournament(AuditAction.TOURNAMENT_LEAVE, tournament, actor=actor, person=row.person)
    note_change(tournament, ["organisers"], besides={row.person_id})


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
    check_state(tournament, *HANDED_OVER_IN, to="hand it over")
    return _hand_over(tournament, _successor(tournament, username), by=actor, reason=reason)


def _lock(tournament: Tournament) -> Tournament:
    if tournament.is_ladder:
        raise Conflict("A ladder belongs to the platform.", code="ladder")
    return lock_row(tournament)


def _offer(tournament: Tournament, person: User, *, actor: User, is_shared: bool) -> Handover:
    tournament.offers.filter(person=person).delete()
    offer = Handover.objects.create(tournament=tournament, person=person, is_shared=is_shared)
    audit_tournament(
        AuditAction.TOURNAMENT_OFFER, tournament, actor=actor, person=person, shared=is_shared
    )
    note_offer(tournament, person)
    return offer


def _join(tournament: Tournament, actor: User) -> Tournament:
    check_state(tournament, *SHARED_IN, to="share")
    _check_successor(tournament, actor)
    tournament.offers.filter(person=actor).delete()
    CoOrganiser.objects.create(tournament=tournament, person=actor)
    show_to_organisers(tournament)
    audit_tournament(AuditAction.TOURNAMENT_JOIN, tournament, actor=actor, person=actor)
    note_change(tournament, ["organisers"])
    return tournament


def _hand_over(tournament: Tournament, person: User, *, by: User, reason: str) -> Tournament:
    check_state(tournament, *HANDED_OVER_IN, to="hand it over")
    _check_successor(tournament, person)
    before = tournament.owner
    tournament.owner = person
    tournament.save(update_fields=("owner",))
    tournament.co_organisers.filter(person=person).delete()
    tournament.offers.filter(Q(is_shared=False) | Q(person=person)).delete()
    show_to_organisers(tournament)
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
        raise _organises_already(person)
    if not person.is_organiser or not person.is_active:
        raise Conflict(
            f"{person.username} is not an organiser. Staff give that role.",
            code="not_an_organiser",
            field="person",
        )
    if tournament.entries.active().behind(person).exists():
        raise Conflict(
            f"{person.username} plays in this tournament, and its organisers may see "
            "hidden results and decide about entries. Withdraw those bots first, or ask somebody "
            "else.",
            code="plays_in_it",
            field="person",
        )


def _organises_already(person: User) -> Conflict:
    return Conflict(
        f"{person.username} organises this tournament already.", code="no_change", field="person"
    )


def _no_offer(tournament: Tournament) -> NotFound:
    return NotFound(f"There is no offer of {tournament.name} for you.", code="no_offer")
