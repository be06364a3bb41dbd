"""Drafts are seen by their organiser alone, wherever tournaments are shown."""

import pytest
from django.test import Client
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict, NotAllowed
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising.drafts import delete_draft, open_tournament
from pentathlon.tournaments.services import start_tournament
from tests.api.client import V1
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

PAGES = ("", "schedule/", "matches/", "faults/", "document/", "progress/", "changes/", "csv/")


@pytest.fixture
def draft(organiser: User) -> Tournament:
    versions = [make_version().pk for _ in range(3)]
    made = open_cup(organiser, name="Secret Plan", versions=versions, is_draft=True)
    assert made.state == TournamentState.DRAFT
    return made


def _client(person: User | None) -> Client:
    client = Client()
    if person is not None:
        client.force_login(person)
    return client


def _api(person: User | None) -> APIClient:
    client = APIClient()
    client.force_authenticate(person)
    return client


@pytest.mark.parametrize("who", ["nobody", "author", "other organiser"])
def test_nobody_else_finds_a_draft(draft: Tournament, who: str) -> None:
    entrant = draft.entries.get(number=0).version.bot.owner
    people = {"nobody": None, "author": entrant, "other organiser": make_user(organiser=True)}
    client, api = _client(people[who]), _api(people[who])

    for page in PAGES:
        assert client.get(f"/tournaments/{draft.pk}/{page}").status_code == 404, page
    for page in ("", "entries/", "document/", "dry-run/", "progress/", "proof/", "standings/"):
        assert api.get(f"{V1}/tournaments/{draft.pk}/{page}").status_code == 404, page
    for page in ("/", "/tournaments/", "/games/tuned/", "/bots/", "/events/"):
        assert "Secret Plan" not in client.get(page).content.decode(), page
    assert api.get(f"{V1}/tournaments/").json()["results"] == []


def test_its_organiser_sees_plans_and_opens_it(draft: Tournament, organiser: User) -> None:
    client = _client(organiser)
    page = page_of(client.get(f"/tournaments/{draft.pk}/"))
    listed = page_of(client.get("/tournaments/"))
    dry = _api(organiser).get(f"{V1}/tournaments/{draft.pk}/dry-run/")

    opened = client.post(f"/tournaments/{draft.pk}/open/", follow=True)

    assert "Only you and staff see this draft." in page.text
    assert "Secret Plan" in listed.text
    assert dry.json()["expected"] == 6
    assert "is open for entries" in page_of(opened).text
    assert "Secret Plan" in page_of(Client().get("/tournaments/")).text


def test_draft_is_neither_started_nor_cancelled(draft: Tournament, organiser: User) -> None:
    with pytest.raises(Conflict) as caught:
        start_tournament(actor=organiser, tournament=draft)

    assert caught.value.allowed == ["open"]
    answer = _api(organiser).post(f"{V1}/tournaments/{draft.pk}/cancel/")
    assert (answer.status_code, answer.json()["code"]) == (409, "wrong_state")


def test_draft_is_deleted_and_what_was_open_is_not(draft: Tournament, organiser: User) -> None:
    made = open_cup(organiser, is_draft=True)
    open_tournament(actor=organiser, tournament=made)

    gone = _api(organiser).delete(f"{V1}/tournaments/{draft.pk}/")

    assert gone.status_code == 204
    with pytest.raises(Conflict):
        delete_draft(actor=organiser, tournament=made)
    assert list(Tournament.objects.all()) == [made]


def test_strangers_open_and_delete_nothing(draft: Tournament) -> None:
    stranger = make_user(organiser=True)
    with pytest.raises(NotAllowed):
        open_tournament(actor=stranger, tournament=draft)
    with pytest.raises(NotAllowed):
        delete_draft(actor=stranger, tournament=draft)

    assert _api(stranger).post(f"{V1}/tournaments/{draft.pk}/open/").status_code == 404


def test_draft_is_made_by_api_and_by_form(organiser: User) -> None:
    by_api = _api(organiser).post(
        f"{V1}/tournaments/", {"name": "One", "game": "tuned", "draft": True}, format="json"
    )
    form = {"name": "Two", "table_seats": 2, "entries_per_author": 3, "cycles": 1, "draft": "1"}
    by_form = _client(organiser).post("/tournaments/new/?game=tuned", form, follow=True)

    assert by_api.json()["state"] == "draft"
    assert "a draft that only you see" in page_of(by_form).text
    assert {each.state for each in Tournament.objects.all()} == {TournamentState.DRAFT}
