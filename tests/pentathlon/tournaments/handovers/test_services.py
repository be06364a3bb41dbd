"""A tournament goes to an organiser who agrees or is assigned, never to one who plays in it."""

from __future__ import annotations

import pytest
from django.test import Client

from pentathlon.accounts.audit.models import AuditAction, AuditEvent
from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed, NotFound
from pentathlon.operations.personal_data.deletion import delete_own_account
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.withdrawals import withdraw_entry
from pentathlon.tournaments.handovers.models import Handover
from pentathlon.tournaments.handovers.services import (
    accept_tournament,
    assign_tournament,
    end_offer,
    offer_of,
    offer_tournament,
)
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.results.hidden_results import are_hidden, release_results
from pentathlon.tournaments.services import (
    cancel_tournament,
    close_finished,
    pause_tournament,
    start_tournament,
)
from pentathlon.tournaments.teams.services import invite_member
from pentathlon.webhooks.models import OutboxEvent
from tests.factories import PASSWORD, make_staff, make_team, make_user, make_version
from tests.pentathlon.ladders.playing import division_of, open_ladder
from tests.pentathlon.tournaments.acting import matches_of, settle
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user(organiser=True)


@pytest.fixture
def other() -> User:
    return make_user(organiser=True)


@pytest.fixture
def cup(owner: User) -> Tournament:
    """A running tournament that hides its results."""
    versions = tuple(make_version().pk for _ in range(2))
    made = arranged_cup(owner, versions=versions, rated=False, hides_results=True)
    return start_tournament(actor=owner, tournament=made)


def _offer(cup: Tournament, person: User) -> Handover:
    return offer_tournament(actor=cup.owner, tournament=cup, username=person.username)


def _accept(cup: Tournament, person: User) -> Tournament:
    return accept_tournament(actor=person, tournament=Tournament.objects.get(pk=cup.pk))


def _code(caught: pytest.ExceptionInfo[DomainError]) -> str:
    return caught.value.code


def test_who_accepts_organises_and_who_offered_does_not(
    cup: Tournament, owner: User, other: User
) -> None:
    document = cup.fixed_document
    _offer(cup, other)
    before = are_hidden(cup, other)

    moved = _accept(cup, other)

    assert (before, are_hidden(moved, other), are_hidden(moved, owner)) == (True, False, True)
    assert moved.fixed_document == document
    assert not Handover.objects.exists()
    pause_tournament(actor=other, tournament=moved)
    with pytest.raises(NotAllowed) as caught:
        cancel_tournament(actor=owner, tournament=Tournament.objects.get(pk=cup.pk))
    assert _code(caught) == "not_your_tournament"


def test_account_can_be_deleted_once_its_tournament_has_gone(
    cup: Tournament, owner: User, other: User
) -> None:
    _offer(cup, other)
    _accept(cup, other)

    name = delete_own_account(actor=owner, username=owner.username, password=PASSWORD)

    assert name.startswith("deleted-")


def test_offer_changes_nothing_until_it_is_accepted(
    cup: Tournament, owner: User, other: User
) -> None:
    _offer(cup, other)

    assert Tournament.objects.get(pk=cup.pk).owner == owner
    assert are_hidden(cup, other)
    assert {offer_of(cup, reader=who) is None for who in (owner, other, make_staff())} == {False}
    assert offer_of(cup, reader=make_user()) is None


@pytest.mark.parametrize("by", ["owner", "other"])
def test_offer_that_is_taken_back_or_declined_is_none(
    by: str, cup: Tournament, owner: User, other: User
) -> None:
    _offer(cup, other)

    end_offer(actor={"owner": owner, "other": other}[by], tournament=cup)

    with pytest.raises(NotFound) as caught:
        _accept(cup, other)
    assert _code(caught) == "no_offer"


def test_only_who_has_the_offer_answers_it(cup: Tournament, other: User) -> None:
    _offer(cup, other)
    stranger = make_user(organiser=True)

    with pytest.raises(NotFound):
        _accept(cup, stranger)
    with pytest.raises(NotFound):
        end_offer(actor=stranger, tournament=cup)

    assert Handover.objects.get().person == other


def test_second_offer_takes_the_place_of_the_first(cup: Tournament, other: User) -> None:
    third = make_user(organiser=True)
    _offer(cup, other)
    _offer(cup, third)

    with pytest.raises(NotFound):
        _accept(cup, other)
    assert _accept(cup, third).owner == third


def test_only_the_organiser_offers(cup: Tournament, other: User) -> None:
    with pytest.raises(NotAllowed) as caught:
        offer_tournament(actor=other, tournament=cup, username=other.username)

    assert _code(caught) == "not_your_tournament"


def test_nobody_gets_it_who_is_unknown_no_organiser_or_has_it(
    cup: Tournament, owner: User, other: User
) -> None:
    closed = make_user(organiser=True)
    User.objects.filter(pk=closed.pk).update(is_active=False)
    cases = {
        "nobody": (InvalidInput, "unknown_person"),
        make_user().username: (Conflict, "not_an_organiser"),
        closed.username: (Conflict, "not_an_organiser"),
        owner.username: (Conflict, "no_change"),
    }

    for username, (kind, code) in cases.items():
        with pytest.raises(kind) as caught:
            offer_tournament(actor=owner, tournament=cup, username=username)
        assert (caught.value.code, caught.value.field) == (code, "person")


def test_who_plays_in_it_cannot_take_it_over(owner: User, other: User) -> None:
    cup = arranged_cup(owner, versions=(make_version().pk, make_version(owner=other).pk))

    with pytest.raises(Conflict) as caught:
        _offer(cup, other)

    assert _code(caught) == "plays_in_it"


def test_who_entered_after_the_offer_cannot_accept_it(owner: User, other: User) -> None:
    cup = arranged_cup(owner)
    _offer(cup, other)
    version = make_version(owner=other)
    enter_tournament(actor=other, tournament=cup, version_id=version.pk)

    with pytest.raises(Conflict) as caught:
        _accept(cup, other)
    withdraw_entry(actor=other, tournament=cup, version_id=version.pk)

    assert _code(caught) == "plays_in_it"
    assert _accept(cup, other).owner == other


def test_member_of_a_team_plays_in_it_too(owner: User, other: User) -> None:
    cup, version = arranged_cup(owner), make_version()
    author = version.bot.owner
    team = make_team(owner=author, members=[other])
    enter_tournament(actor=author, tournament=cup, version_id=version.pk, team=team.pk)

    with pytest.raises(Conflict) as caught:
        _offer(cup, other)

    assert _code(caught) == "plays_in_it"


def test_somebody_invited_to_a_team_unasked_takes_over_all_the_same(
    owner: User, other: User
) -> None:
    cup, version = arranged_cup(owner), make_version()
    author = version.bot.owner
    team = make_team(owner=author)
    invite_member(actor=author, team=team, username=other.username)
    enter_tournament(actor=author, tournament=cup, version_id=version.pk, team=team.pk)

    _offer(cup, other)

    assert _accept(cup, other).owner == other


def test_what_is_over_and_ladders_are_not_handed_over(
    cup: Tournament, owner: User, other: User
) -> None:
    cancel_tournament(actor=owner, tournament=cup)
    with pytest.raises(Conflict) as caught:
        _offer(cup, other)
    ladder = division_of(open_ladder()).tournament

    with pytest.raises(Conflict) as refused:
        _offer(ladder, other)

    assert (_code(caught), _code(refused)) == ("wrong_state", "ladder")


def test_hidden_results_of_an_organiser_who_left_come_out() -> None:
    organiser, staff = make_user(organiser=True), make_staff()
    cup = _closed_with_hidden_results(organiser)
    delete_own_account(actor=organiser, username=organiser.username, password=PASSWORD)
    cup.refresh_from_db()
    client = Client()
    client.force_login(staff)

    page = client.get(f"/tournaments/{cup.pk}/").content.decode()
    answer = client.post(f"/tournaments/{cup.pk}/release/")

    assert "Its organiser has left: the staff of this site release them." in page
    assert "Release results now" in page
    assert answer.status_code == 302
    assert not are_hidden(cup, None)


def test_staff_do_not_release_while_the_organiser_is_here() -> None:
    cup = _closed_with_hidden_results(make_user(organiser=True))

    with pytest.raises(NotAllowed):
        release_results(actor=make_staff(), tournament=cup)

    assert are_hidden(cup, None)


def test_strangers_do_not_release_what_an_organiser_left() -> None:
    organiser = make_user(organiser=True)
    cup = _closed_with_hidden_results(organiser)
    delete_own_account(actor=organiser, username=organiser.username, password=PASSWORD)
    cup.refresh_from_db()

    with pytest.raises(NotAllowed):
        release_results(actor=make_user(organiser=True), tournament=cup)


def test_closed_tournament_is_assigned_and_its_new_organiser_releases(other: User) -> None:
    cup = _closed_with_hidden_results(make_user(organiser=True))

    assigned = assign_tournament(
        actor=make_staff(), tournament=cup, username=other.username, reason="She has left."
    )

    assert not are_hidden(release_results(actor=other, tournament=assigned), None)


def _closed_with_hidden_results(organiser: User) -> Tournament:
    versions = (make_version().pk, make_version().pk)
    cup = arranged_cup(organiser, versions=versions, rated=False, hides_results=True)
    start_tournament(actor=organiser, tournament=cup)
    settle(matches_of(cup))
    close_finished()
    cup.refresh_from_db()
    assert cup.state == TournamentState.CLOSED
    return cup


def test_staff_decide_with_a_reason(cup: Tournament, other: User) -> None:
    staff = make_staff()

    for actor, reason, code in ((other, "I want it.", "staff_only"), (staff, " ", "required")):
        with pytest.raises(DomainError) as caught:
            assign_tournament(actor=actor, tournament=cup, username=other.username, reason=reason)
        assert _code(caught) == code
    moved = assign_tournament(
        actor=staff, tournament=cup, username=other.username, reason="Its organiser is ill."
    )

    assert moved.owner == other
    (noted,) = AuditEvent.objects.filter(action=AuditAction.TOURNAMENT_HAND_OVER)
    assert (noted.actor, noted.person, noted.reason) == (staff, other, "Its organiser is ill.")


def test_offer_and_handing_over_stand_in_the_audit_log(
    cup: Tournament, owner: User, other: User
) -> None:
    _offer(cup, other)
    _accept(cup, other)

    noted = AuditEvent.objects.of_tournament(cup.pk).order_by("-pk")[:2]

    assert [(each.action, each.actor, each.person) for each in noted] == [
        (AuditAction.TOURNAMENT_HAND_OVER, other, other),
        (AuditAction.TOURNAMENT_OFFER, owner, other),
    ]
    assert str(AuditEvent.objects.public(hides_results=True).latest("pk").action) == str(
        AuditAction.TOURNAMENT_HAND_OVER
    )


def test_both_organisers_and_entrants_are_told(cup: Tournament, owner: User, other: User) -> None:
    entrant = cup.entries.in_order()[0].version.bot.owner
    for person in (owner, other, entrant):
        make_endpoint(person)
    _offer(cup, other)
    _accept(cup, other)

    told = {each.type: set(each.audience) for each in OutboxEvent.objects.all()}

    assert told["tournament.offered"] == {other.pk}
    assert told["tournament.handed_over"] >= {owner.pk, other.pk, entrant.pk}
