"""A draft may be edited until it is open, and no edit undoes another one unseen."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.organising.drafts import open_tournament, read_draft
from tests.api.client import V1
from tests.factories import make_staff, make_user, make_version
from tests.pentathlon.tournaments.acting import open_cup
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> User:
    return make_user(organiser=True)


@pytest.fixture
def api(organiser: User) -> APIClient:
    client = APIClient()
    client.force_authenticate(organiser)
    return client


@pytest.fixture
def client(organiser: User) -> Client:
    person = Client()
    person.force_login(organiser)
    return person


@pytest.fixture
def draft(organiser: User) -> Tournament:
    versions = [make_version().pk for _ in range(3)]
    limits = {"memory_mb": 128}
    return open_cup(organiser, name="Plan", versions=versions, limits=limits, is_draft=True)


def _address(draft: Tournament) -> str:
    return f"{V1}/tournaments/{draft.pk}/draft/"


def _patch(api: APIClient, draft: Tournament, **changed: Any) -> Any:
    changed = {"revision": _revision(draft), **changed}
    return api.patch(_address(draft), changed, format="json")


def _revision(draft: Tournament) -> str:
    return read_draft(Tournament.objects.get(pk=draft.pk)).revision


def _entered(draft: Tournament) -> list[int]:
    return list(draft.entries.order_by("number").values_list("version", flat=True))


class TestApi:
    def test_what_is_sent_changes_and_the_rest_stays(
        self, api: APIClient, draft: Tournament
    ) -> None:
        before = api.get(_address(draft)).json()
        commitment = draft.commitment

        answer = _patch(api, draft, name="Better", params={"cycles": 3}, rated=False)

        assert answer.status_code == 200, answer.json()
        params = {**before["params"], "cycles": 3}
        expected = {**before, "name": "Better", "params": params, "rated": False}
        assert answer.json() == {**expected, "revision": answer.json()["revision"]}
        assert answer.json()["revision"] != before["revision"]
        draft.refresh_from_db()
        assert (draft.name, draft.limits, draft.commitment) == (
            "Better",
            {"memory_mb": 128},
            commitment,
        )

    def test_second_of_two_edits_of_one_revision_is_refused(
        self, api: APIClient, draft: Tournament
    ) -> None:
        read = api.get(_address(draft)).json()["revision"]
        first = _patch(api, draft, name="First", revision=read)

        second = _patch(api, draft, rated=False, revision=read)

        assert (second.status_code, second.json()["code"]) == (409, "changed_meanwhile")
        assert second.json()["errors"][0]["pointer"] == "/revision"
        assert second.json()["errors"][0]["allowed"] == [first.json()["revision"]]
        draft.refresh_from_db()
        assert (draft.name, draft.rated) == ("First", True)

    def test_bot_that_entered_meanwhile_is_not_thrown_out(
        self, api: APIClient, draft: Tournament
    ) -> None:
        read = api.get(_address(draft)).json()
        newcomer = make_version().pk
        api.post(f"{V1}/tournaments/{draft.pk}/entries/", {"version": newcomer}, format="json")

        answer = _patch(api, draft, **read)

        assert answer.json()["code"] == "changed_meanwhile"
        assert newcomer in _entered(draft)

    def test_bots_come_and_go_and_the_others_keep_their_entries(
        self, api: APIClient, draft: Tournament
    ) -> None:
        leaving, *staying = _entered(draft)
        kept = set(draft.entries.filter(version__in=staying).values_list("pk", flat=True))
        coming = make_version().pk

        answer = _patch(api, draft, versions=[*staying, coming])

        assert answer.json()["versions"] == [*staying, coming]
        assert kept < set(draft.entries.values_list("pk", flat=True))
        assert leaving not in _entered(draft)

    def test_other_format_has_its_own_parameters(self, api: APIClient, draft: Tournament) -> None:
        answer = _patch(api, draft, format="swiss")

        assert answer.json()["format"] == "swiss"
        assert "cycles" not in answer.json()["params"]
        draft.refresh_from_db()
        assert draft.scheduler == "swiss/1"

    def test_everything_wrong_is_told_at_once_and_nothing_changes(
        self, api: APIClient, draft: Tournament
    ) -> None:
        before = api.get(_address(draft)).json()

        answer = _patch(
            api,
            draft,
            params={"cycles": 0},
            limits={"memory_mb": 1},
            tie_breaks=["luck"],
            starts_at="2020-01-01T00:00:00Z",
            colour="red",
        )

        assert answer.status_code == 400
        told = {each["pointer"]: each["code"] for each in answer.json()["errors"]}
        assert told.keys() >= {"/params/cycles", "/limits/memory_mb", "/tie_breaks/0", "/colour"}
        assert told["/colour"] == "unknown_field"
        assert api.get(_address(draft)).json() == before

    def test_game_that_entered_bots_do_not_play_is_refused(
        self, api: APIClient, draft: Tournament
    ) -> None:
        answer = _patch(api, draft, game="azure")

        told = {each["pointer"]: each["code"] for each in answer.json()["errors"]}
        assert answer.status_code == 400
        assert told == {f"/versions/{place}": "ineligible_bots" for place in range(3)}
        draft.refresh_from_db()
        assert (draft.game, len(_entered(draft))) == ("tuned", 3)

    def test_results_are_hidden_and_shown_again(self, api: APIClient, draft: Tournament) -> None:
        guest = make_user()
        hidden = _patch(
            api,
            draft,
            rated=False,
            hides_results=True,
            by_invitation=True,
            invited=[guest.username],
        )
        assert hidden.status_code == 200, hidden.json()
        assert HiddenLane.objects.filter(lane=draft.pk).exists()
        assert draft.invitations.get().person == guest

        _patch(api, draft, hides_results=False, by_invitation=False, invited=[])

        assert not HiddenLane.objects.filter(lane=draft.pk).exists()
        assert not draft.invitations.exists()

    def test_secret_and_revision_are_no_fields_to_leave_out_or_choose(
        self, api: APIClient, draft: Tournament
    ) -> None:
        unread = api.patch(_address(draft), {"name": "Blind"}, format="json")
        chosen = _patch(api, draft, secret="00" * 32)
        listed = api.patch(_address(draft), [], format="json")

        assert unread.json()["errors"][0]["pointer"] == "/revision"
        assert chosen.json()["errors"][0]["code"] == "unknown_field"
        assert {answer.status_code for answer in (unread, chosen, listed)} == {400}

    def test_open_tournament_has_no_draft(
        self, api: APIClient, organiser: User, draft: Tournament
    ) -> None:
        revision = _revision(draft)
        open_tournament(actor=organiser, tournament=draft)

        answers = [
            api.get(_address(draft)),
            api.patch(_address(draft), {"revision": revision}, format="json"),
        ]

        for answer in answers:
            assert (answer.status_code, answer.json()["code"]) == (409, "wrong_state")
            assert answer.json()["errors"][0]["allowed"] == ["draft"]

    def test_staff_reads_and_strangers_find_nothing(self, draft: Tournament) -> None:
        found = []
        for person in (make_user(organiser=True), make_staff()):
            client = APIClient()
            client.force_authenticate(person)
            found.append((client.get(_address(draft)).status_code, _patch(client, draft)))

        assert [(read, patched.status_code) for read, patched in found] == [(404, 404), (200, 403)]


def _posted(page: Page, **changed: str | Sequence[str]) -> dict[str, Any]:
    """Return what a browser posts if nothing but these fields is touched."""
    values: dict[str, Any] = {}
    for each in page.all("input", "textarea"):
        if "name" not in each or (each.get("type") == "checkbox" and "checked" not in each):
            continue
        given = each.get("value", "on" if each.get("type") == "checkbox" else "")
        values.setdefault(each["name"], []).append(given)
    return values | changed


class TestPage:
    def test_form_shows_the_draft_and_saving_it_changes_nothing(
        self, client: Client, api: APIClient, draft: Tournament
    ) -> None:
        _patch(
            api,
            draft,
            starts_at=(timezone.now() + timedelta(days=2)).replace(second=0, microsecond=0),
            entry_rules={"newest_only": True, "most_versions": 4},
        )
        before = _revision(draft)
        address = f"/tournaments/{draft.pk}/edit/"

        page = page_of(client.get(address))
        saved = client.post(address, _posted(page), follow=True)

        assert "The draft Plan is saved." in page_of(saved).text
        assert _revision(draft) == before

    def test_form_changes_name_bots_and_format(self, client: Client, draft: Tournament) -> None:
        address = f"/tournaments/{draft.pk}/edit/?format=knockout"
        fewer = [str(version) for version in _entered(draft)[:2]]

        form = _posted(page_of(client.get(address)), name="Cup of two", versions=fewer, blocks="3")
        client.post(address, form)

        draft.refresh_from_db()
        assert (draft.name, draft.scheduler, len(_entered(draft))) == (
            "Cup of two",
            "knockout/1",
            2,
        )

    def test_form_keeps_the_format_for_another_game(
        self, client: Client, draft: Tournament
    ) -> None:
        Tournament.objects.filter(pk=draft.pk).update(format="swiss", scheduler="swiss/1")

        page = page_of(client.get(f"/tournaments/{draft.pk}/edit/?game=azure"))

        assert "There is no format" not in page.text
        assert page.field("rounds")

    def test_form_needs_no_warning_where_the_other_game_lacks_the_format(
        self, client: Client, draft: Tournament
    ) -> None:
        Tournament.objects.filter(pk=draft.pk).update(format="tables", scheduler="tables/2")

        page = page_of(client.get(f"/tournaments/{draft.pk}/edit/?game=tuned"))

        assert "There is no format" not in page.text
        assert page.field("cycles")

    def test_all_errors_are_shown_at_once(self, client: Client, draft: Tournament) -> None:
        address = f"/tournaments/{draft.pk}/edit/"
        form = _posted(page_of(client.get(address)), name="", cycles="0", memory_mb="1")
        form["starts_at"] = "2020-01-01T00:00"

        page = page_of(client.post(address, form))

        wrong = {each["name"] for each in page.all("input") if each.get("aria-invalid") == "true"}
        assert wrong == {"name", "cycles", "memory_mb", "starts_at"}

    def test_second_tab_overwrites_nothing_however_often_it_saves(
        self, client: Client, draft: Tournament
    ) -> None:
        address = f"/tournaments/{draft.pk}/edit/"
        stale = _posted(page_of(client.get(address)), name="Second tab")
        client.post(address, {**stale, "name": "First tab"})

        refused = page_of(client.post(address, stale))
        again = page_of(client.post(address, _posted(refused)))

        draft.refresh_from_db()
        assert draft.name == "First tab"
        assert "has changed since you began" in refused.text
        assert "has changed since you began" in again.text

    def test_nobody_else_edits(self, draft: Tournament) -> None:
        stranger = Client()
        stranger.force_login(make_user(organiser=True))

        assert stranger.get(f"/tournaments/{draft.pk}/edit/").status_code == 404


def test_draft_whose_dates_have_passed_is_not_opened(organiser: User, draft: Tournament) -> None:
    Tournament.objects.filter(pk=draft.pk).update(starts_at=timezone.now() - timedelta(days=1))

    with pytest.raises(Conflict) as caught:
        open_tournament(actor=organiser, tournament=draft)

    assert (caught.value.code, caught.value.field) == ("past", "starts_at")
    draft.refresh_from_db()
    assert draft.state == TournamentState.DRAFT
