"""A disqualification is lifted until the start; afterwards it stands."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.bots.models import VersionState
from pentathlon.bots.services import disqualify_version
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed
from pentathlon.tournaments.documents.document import document
from pentathlon.tournaments.entries.enrolment import enter_tournament, reinstate_entry
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.entries.withdrawals import disqualify_entry, settle_entries
from pentathlon.tournaments.models import Entry, EntryState, Tournament
from pentathlon.tournaments.services import start_tournament
from tests.api.client import V1
from tests.factories import make_bot, make_staff, make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


@pytest.fixture
def cup(organiser: User) -> Tournament:
    return open_cup(organiser, versions=[make_version().pk for _ in range(3)])


@pytest.fixture
def banned(organiser: User, cup: Tournament) -> Entry:
    first = cup.entries.get(number=0)
    return disqualify_entry(
        actor=organiser,
        tournament=cup,
        version_id=first.version_id,
        reason="It looked like a copy.",
        revoke=True,
    )


def _reinstate(actor: User, entry: Entry, reason: str = "It is its own work.") -> Entry:
    return reinstate_entry(
        actor=actor,
        tournament=entry.tournament,
        version_id=entry.version_id,
        reason=reason,
    )


def test_no_version_of_a_disqualified_bot_enters_before_it_is_reinstated(
    organiser: User, cup: Tournament, banned: Entry
) -> None:
    newer = make_version(bot=banned.version.bot)
    other = make_version(bot=make_bot(owner=banned.version.bot.owner))
    enter_tournament(actor=organiser, tournament=cup, version_id=other.pk)

    with pytest.raises(Conflict) as entered:
        enter_tournament(actor=organiser, tournament=cup, version_id=newer.pk)
    with pytest.raises(Conflict) as replaced:
        replace_entry(actor=organiser, tournament=cup, version_id=other.pk, by=newer.pk)

    assert entered.value.code == replaced.value.code == "disqualified"
    assert f"{organiser.username}, who organises {cup.name}, has reinstated" in (
        entered.value.detail
    )
    _reinstate(organiser, banned)
    assert enter_tournament(actor=organiser, tournament=cup, version_id=newer.pk).number == 5


def test_newer_version_of_one_that_the_staff_took_out_may_enter(
    organiser: User, cup: Tournament
) -> None:
    first = cup.entries.get(number=0).version
    disqualify_version(actor=make_staff(), version=first, reason="It calls home.")
    while settle_entries():
        pass

    entry = enter_tournament(
        actor=organiser, tournament=cup, version_id=make_version(bot=first.bot).pk
    )

    assert entry.state == EntryState.ACTIVE


def test_reinstated_bot_takes_part_and_what_happened_is_on_record(
    organiser: User, cup: Tournament, banned: Entry
) -> None:
    newcomer = enter_tournament(actor=organiser, tournament=cup, version_id=make_version().pk)

    entry = _reinstate(organiser, banned)

    assert entry.number == (newcomer.number or 0) + 1
    assert (entry.state, entry.revokes_results) == (EntryState.ACTIVE, False)
    assert entry.reason == (
        f"Reinstated by {organiser.username}: It is its own work. "
        "It was disqualified: It looked like a copy."
    )
    start_tournament(actor=organiser, tournament=cup)
    cup.refresh_from_db()
    assert entry.version.archive_id in {each.hash for each in document(cup).entries}


def test_it_stands_after_the_start(organiser: User, cup: Tournament, banned: Entry) -> None:
    start_tournament(actor=organiser, tournament=cup)

    with pytest.raises(Conflict) as caught:
        _reinstate(organiser, banned)

    assert (caught.value.code, caught.value.allowed) == ("wrong_state", ["draft", "open"])


def test_only_the_organiser_lifts_it(banned: Entry) -> None:
    for person in (banned.version.bot.owner, make_user(organiser=True)):
        with pytest.raises(NotAllowed):
            _reinstate(person, banned)


def test_bot_that_is_disqualified_everywhere_does_not_come_back(
    organiser: User, banned: Entry
) -> None:
    banned.version.state = VersionState.DISQUALIFIED
    banned.version.save()

    with pytest.raises(InvalidInput) as caught:
        _reinstate(organiser, banned)

    assert caught.value.code == "ineligible_bots"


def test_who_takes_part_cannot_be_reinstated(organiser: User, cup: Tournament) -> None:
    with pytest.raises(DomainError) as caught:
        _reinstate(organiser, cup.entries.get(number=1))

    assert caught.value.code == "not_disqualified"


def test_by_api_with_a_reason(organiser: User, cup: Tournament, banned: Entry) -> None:
    client = APIClient()
    client.force_authenticate(organiser)
    address = f"{V1}/tournaments/{cup.pk}/entries/{banned.version_id}/reinstate/"

    silent = client.post(address, {}, format="json")
    done = client.post(address, {"reason": "A mistake of ours."}, format="json")

    assert silent.json()["errors"][0]["pointer"] == "/reason"
    assert (done.status_code, done.json()["state"]) == (200, "active")


def test_by_page_with_a_reason(organiser: User, cup: Tournament, banned: Entry) -> None:
    client = Client()
    client.force_login(organiser)
    address = f"/tournaments/{cup.pk}/"

    before = page_of(client.get(address))
    values = {"version": banned.version_id, "reason": "A mistake of ours."}
    after = page_of(client.post(f"{address}reinstate/", values, follow=True))

    assert "It looked like a copy." in before.text
    assert "takes part again" in after.text
    assert "It looked like a copy." not in page_of(client.get(address)).text
