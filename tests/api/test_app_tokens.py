"""An app's token works in the API like one's own, and never does more than was allowed."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope, User
from pentathlon.accounts.oauth.access import IDENTITY
from pentathlon.matches.hidden_lanes import HiddenLane
from tests.api.client import V1, assert_problem, client_of, upload
from tests.factories import make_staff, make_upload, make_user, make_version
from tests.pentathlon.accounts.oauth.acting import FakeApp
from tests.pentathlon.tournaments.acting import open_cup

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> User:
    return make_user(organiser=True)


def client_with(person: User, *scopes: str) -> APIClient:
    token = FakeApp().tokens_of(person, scope=" ".join(scopes))["access_token"]
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}")
    return client


def test_app_uploads_a_bot_if_it_may(person: User) -> None:
    may, may_not = client_with(person, Scope.BOTS_WRITE), client_with(person, IDENTITY)

    refused = upload(may_not, "/bots/", make_upload("mine"))
    done = upload(may, "/bots/", make_upload("mine"))

    assert_problem(refused, status=403, code="missing_scope")
    assert done.status_code == 201, done.content
    assert person.bots.get().name == "mine"


@pytest.mark.parametrize("path", ["archive/", "log/"])
def test_private_things_need_the_scope(person: User, path: str) -> None:
    address = f"{V1}/versions/{make_version(owner=person).pk}/{path}"

    assert client_with(person, Scope.PRIVATE_READ).get(address).status_code == 200
    refused = client_with(person, IDENTITY, Scope.BOTS_WRITE).get(address)
    assert_problem(refused, status=403, code="missing_scope")


def test_drafts_are_shown_to_apps_that_may_see_them(person: User) -> None:
    address = f"{V1}/tournaments/{open_cup(person, is_draft=True).pk}/"

    found = {
        scope: client_with(person, scope).get(address).status_code
        for scope in (IDENTITY, Scope.BOTS_WRITE, Scope.PRIVATE_READ, Scope.TOURNAMENTS_WRITE)
    }

    assert found == {
        IDENTITY: 404,
        Scope.BOTS_WRITE: 404,
        Scope.PRIVATE_READ: 200,
        Scope.TOURNAMENTS_WRITE: 200,
    }


def test_who_somebody_is_needs_the_scope(person: User) -> None:
    me: Any = client_with(person, IDENTITY).get(f"{V1}/me/")

    assert me.json() == {
        "id": person.pk,
        "username": person.username,
        "is_organiser": True,
        "takes_organiser_entries": True,
        "may_play_rated": True,
    }
    refused = client_with(person, *Scope.values).get(f"{V1}/me/")
    assert_problem(refused, status=403, code="missing_scope")


def test_app_reaches_neither_tokens_nor_the_account(person: User) -> None:
    app = client_with(person, IDENTITY, *Scope.values)

    assert app.get(f"{V1}/tokens/").status_code == 401
    assert app.get(f"{V1}/tokens/current/").status_code == 403
    assert app.delete(f"{V1}/tokens/current/").status_code == 403
    assert app.get(f"{V1}/me/export.zip").status_code == 401
    asked = {"username": person.username, "password": "x"}
    assert app.post(f"{V1}/me/delete/", asked, format="json").status_code == 401


def test_app_is_never_staff() -> None:
    root = make_staff(superuser=True)
    draft = open_cup(make_user(organiser=True), is_draft=True)
    app, own = client_with(root, *Scope.values), client_of(root)

    assert own.get(f"{V1}/audit/").status_code == 200
    assert_problem(app.get(f"{V1}/audit/"), status=403, code="staff_only")
    assert own.get(f"{V1}/tournaments/{draft.pk}/").status_code == 200
    assert app.get(f"{V1}/tournaments/{draft.pk}/").status_code == 404
    root.refresh_from_db()
    assert (root.is_staff, root.is_superuser) == (True, True)


def test_hidden_results_stay_hidden_from_apps_of_staff(person: User) -> None:
    staff = make_staff()
    cup = open_cup(person, rated=False)
    HiddenLane.objects.create(lane=cup.pk, organiser=person)

    address = f"{V1}/tournaments/{cup.pk}/standings/"

    assert client_of(staff).get(address).status_code == 200
    assert client_with(staff, Scope.PRIVATE_READ).get(address).status_code == 409


@pytest.mark.parametrize("token", ["pta_", "pta_nothing", "pta_\N{SNOWMAN}", "pta_" + "0" * 5000])
def test_unknown_token_is_refused(token: str) -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token}".encode())

    answer = client.get(f"{V1}/me/")

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_token_in_the_query_is_none(person: User) -> None:
    token = FakeApp().tokens_of(person)["access_token"]

    assert APIClient().get(f"{V1}/tokens/current/?access_token={token}").status_code == 401
