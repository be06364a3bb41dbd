"""Several organise a tournament: by offer and acceptance, with one owner."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pentathlon.accounts.audit.models import AuditEvent
from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, DomainError, NotAllowed, NotFound
from pentathlon.matches.models import Match
from pentathlon.operations.personal_data.deletion import delete_own_account
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.withdrawals import disqualify_entry
from pentathlon.tournaments.guards import is_organiser_of
from pentathlon.tournaments.handovers.models import Handover
from pentathlon.tournaments.handovers.services import (
    accept_tournament,
    end_offer,
    offer_share,
    offer_tournament,
    organisers_of,
    remove_organiser,
    visible_or_offered,
)
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.audit_log import audit_events_of
from pentathlon.tournaments.organising.drafts import open_tournament
from pentathlon.tournaments.results.hidden_results import are_hidden, release_results
from pentathlon.tournaments.services import (
    cancel_tournament,
    pause_tournament,
    resume_tournament,
    start_tournament,
)
from pentathlon.webhooks.models import OutboxEvent
from tests.factories import PASSWORD, make_user, make_version
from tests.pentathlon.tournaments.arranging import arranged_cup
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner() -> User:
    return make_user("prof", organiser=True)


@pytest.fixture
def helper() -> User:
    return make_user("helper", organiser=True)


@pytest.fixture
def cup(owner: User) -> Tournament:
    """A running tournament that hides its results."""
    versions = tuple(make_version().pk for _ in range(2))
    made = arranged_cup(owner, versions=versions, rated=False, hides_results=True)
    return start_tournament(actor=owner, tournament=made)


def _share(cup: Tournament, person: User) -> Tournament:
    offer_share(actor=cup.owner, tournament=cup, username=person.username)
    return accept_tournament(actor=person, tournament=cup)


def _now(cup: Tournament) -> Tournament:
    return Tournament.objects.get(pk=cup.pk)


def test_offer_gives_no_right_until_it_is_accepted(cup: Tournament, helper: User) -> None:
    offer_share(actor=cup.owner, tournament=cup, username="helper")

    assert not is_organiser_of(helper, cup)
    assert are_hidden(cup, helper)
    with pytest.raises(NotAllowed):
        pause_tournament(actor=helper, tournament=cup)


def test_co_organiser_sees_hidden_results_and_their_matches(cup: Tournament, helper: User) -> None:
    before = Match.objects.of_lane(cup.pk).visible_to(helper).count()

    _share(cup, helper)

    assert before == 0
    assert not are_hidden(cup, helper)
    assert Match.objects.of_lane(cup.pk).visible_to(helper).exists()
    assert cup.organiser_names == ["prof", "helper"]


def test_co_organiser_runs_the_tournament(cup: Tournament, helper: User) -> None:
    version = cup.entries.select_related("version").order_by("pk")[0].version
    _share(cup, helper)

    pause_tournament(actor=helper, tournament=cup)
    resume_tournament(actor=helper, tournament=cup)
    disqualify_entry(actor=helper, tournament=cup, version_id=version.pk, reason="It cheats.")
    release_results(actor=helper, tournament=cup)
    cancel_tournament(actor=helper, tournament=cup)

    assert _now(cup).state == "cancelled"
    assert audit_events_of(cup, reader=helper).filter(actor=helper).count() == 6


def test_co_organiser_enters_bots_of_others(owner: User, helper: User) -> None:
    made = arranged_cup(owner, by_invitation=True)
    _share(made, helper)

    entry = enter_tournament(actor=helper, tournament=made, version_id=make_version().pk)

    assert entry.tournament == made


def test_co_organiser_sees_and_opens_a_draft(owner: User, helper: User) -> None:
    draft = arranged_cup(owner, is_draft=True)
    offer_share(actor=owner, tournament=draft, username="helper")
    before = Tournament.objects.visible_to(helper).filter(pk=draft.pk).exists()
    offered = visible_or_offered(helper).filter(pk=draft.pk).exists()
    accept_tournament(actor=helper, tournament=draft)

    assert (before, offered) == (False, True)
    assert Tournament.objects.visible_to(helper).filter(pk=draft.pk).exists()
    assert open_tournament(actor=helper, tournament=draft).state == "open"


@pytest.mark.parametrize(
    "act",
    [
        lambda cup, helper: offer_tournament(
            actor=helper, tournament=cup, username=make_user(organiser=True).username
        ),
        lambda cup, helper: remove_organiser(actor=helper, tournament=cup, username="second"),
    ],
    ids=["hand over", "remove another"],
)
def test_only_the_owner_hands_over_and_removes(
    act: Callable[[Tournament, User], object], cup: Tournament, helper: User
) -> None:
    _share(cup, helper)
    _share(cup, make_user("second", organiser=True))

    with pytest.raises(NotAllowed) as caught:
        act(cup, helper)

    assert caught.value.code == "not_the_owner"


@pytest.mark.parametrize("by", ["prof", "helper"])
def test_who_leaves_or_is_removed_loses_every_right(
    by: str, cup: Tournament, helper: User
) -> None:
    _share(cup, helper)

    remove_organiser(actor=User.objects.get(username=by), tournament=cup, username="helper")

    assert are_hidden(cup, helper)
    with pytest.raises(NotAllowed) as caught:
        pause_tournament(actor=helper, tournament=cup)
    assert "Only prof, who organises it" in caught.value.detail


def test_co_organisers_stay_when_the_owner_changes(cup: Tournament, helper: User) -> None:
    _share(cup, helper)
    third = make_user("third", organiser=True)
    offer_tournament(actor=cup.owner, tournament=cup, username="third")

    accept_tournament(actor=third, tournament=cup)

    assert _now(cup).organiser_names == ["third", "helper"]
    assert not are_hidden(cup, helper)


def test_co_organiser_who_becomes_the_owner_is_named_once(cup: Tournament, helper: User) -> None:
    _share(cup, helper)
    offer_tournament(actor=cup.owner, tournament=cup, username="helper")

    accept_tournament(actor=helper, tournament=cup)

    assert _now(cup).organiser_names == ["helper"]
    assert not Handover.objects.exists()


def test_offer_can_be_declined_and_taken_back(cup: Tournament, helper: User) -> None:
    offer_share(actor=cup.owner, tournament=cup, username="helper")
    end_offer(actor=helper, tournament=cup)
    offer_share(actor=cup.owner, tournament=cup, username="helper")
    lines = organisers_of(cup, reader=cup.owner)
    outside = organisers_of(cup, reader=None)
    remove_organiser(actor=cup.owner, tournament=cup, username="helper")

    assert [(each.person.username, each.role) for each in lines] == [
        ("prof", "owner"),
        ("helper", "asked"),
    ]
    assert [each.role for each in outside] == ["owner"]
    with pytest.raises(NotFound):
        accept_tournament(actor=helper, tournament=cup)


@pytest.mark.parametrize("code", ["not_an_organiser", "plays_in_it", "no_change"])
def test_nobody_joins_who_may_not_organise(code: str, cup: Tournament, helper: User) -> None:
    player = User.objects.get(bots__versions__entries__tournament=cup, bots__name=_first(cup))
    player.is_organiser = True
    player.save()
    _share(cup, helper)
    who = {"not_an_organiser": make_user(), "plays_in_it": player, "no_change": helper}[code]

    with pytest.raises(Conflict) as caught:
        offer_share(actor=cup.owner, tournament=cup, username=who.username)

    assert caught.value.code == code


def _first(cup: Tournament) -> str:
    return cup.entries.select_related("version__bot").order_by("pk")[0].version.bot.name


def test_everybody_hears_of_a_new_organiser(cup: Tournament, helper: User) -> None:
    make_endpoint(cup.owner)

    _share(cup, helper)

    told = OutboxEvent.objects.get(type="tournament.changed")
    assert told.data["changed"] == ["organisers"]
    assert {cup.owner.pk, helper.pk} <= set(told.audience)
    assert AuditEvent.objects.get(action="tournament.join").person == helper


def test_deleted_account_organises_nothing(cup: Tournament, helper: User) -> None:
    _share(cup, helper)

    delete_own_account(actor=helper, username="helper", password=PASSWORD)

    assert cup.organiser_names == ["prof"]
    assert are_hidden(cup, helper)


@pytest.mark.parametrize(
    "act",
    [
        lambda cup, actor: pause_tournament(actor=actor, tournament=cup),
        lambda cup, actor: release_results(actor=actor, tournament=cup),
        lambda cup, actor: offer_tournament(actor=actor, tournament=cup, username="helper"),
        lambda cup, actor: offer_share(actor=actor, tournament=cup, username="helper"),
        lambda cup, actor: end_offer(actor=actor, tournament=cup),
        lambda cup, actor: remove_organiser(actor=actor, tournament=cup, username="helper"),
    ],
    ids=["step", "release", "hand over", "share", "end offer", "remove"],
)
def test_request_that_waited_behind_a_handover_has_no_right(
    act: Callable[[Tournament, User], object], cup: Tournament, owner: User, helper: User
) -> None:
    """The row that a request has read before it got the lock still names the former owner."""
    read_before = _now(cup)
    third = make_user(organiser=True)
    offer_tournament(actor=owner, tournament=cup, username=third.username)
    accept_tournament(actor=third, tournament=cup)

    with pytest.raises(DomainError) as caught:
        act(read_before, owner)

    assert caught.value.code in {"not_your_tournament", "no_offer"}
