"""What the API does not know in a request is refused, never swallowed."""

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.models import Scope
from pentathlon.matches.models import MatchKind
from pentathlon.tournaments.models import Tournament
from tests.api.client import V1, assert_problem, client_of, upload
from tests.factories import make_match, make_upload, make_user, make_version

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("field", ["begins_at", "rounds", "Name", "\0"])
def test_unknown_field_of_a_tournament_is_refused(field: str) -> None:
    client = client_of(make_user(organiser=True))

    answer = client.post(f"{V1}/tournaments/", {"name": "Cup", "game": "tuned", field: 1})

    assert_problem(answer, status=400, code="unknown_field", attr=field)
    assert not Tournament.objects.exists()


def test_byte_order_mark_before_json_is_skipped() -> None:
    client = client_of(make_user(organiser=True))
    body = "\ufeff" + '{"name": "Cup", "game": "tuned", "x": 1}'

    answer = client.generic("POST", f"{V1}/tournaments/", body, content_type="application/json")

    assert_problem(answer, status=400, code="unknown_field", attr="x")


def test_unknown_field_of_an_upload_is_refused() -> None:
    answer = upload(client_of(make_user()), "/bots/", make_upload(), note="misspelt")

    assert_problem(answer, status=400, code="unknown_field", attr="note")


def test_all_unknown_fields_are_named_at_once() -> None:
    client = client_of(make_user(organiser=True))

    body = client.post(
        f"{V1}/tournaments/", {"name": "Cup", "game": "tuned", "a": 1, "b": 2}
    ).json()

    assert {error["attr"] for error in body["errors"]} == {"a", "b"}


@pytest.mark.parametrize(
    "path",
    [
        "/matches/?tornament=5",
        "/bots/?sort=name",
        "/tournaments/?page=2",
        "/games/tuned/?x=1",
        "/leaderboards/?game=tuned",
        "/leaderboards/tuned/?sort=mu",
        "/workers/?page_size=2",
    ],
)
def test_unknown_parameter_is_refused(anonymous: APIClient, path: str) -> None:
    name = path.partition("?")[2].partition("=")[0]

    assert_problem(anonymous.get(V1 + path), status=400, code="unknown_parameter", attr=name)


@pytest.mark.parametrize("size", ["abc", "0", "-1", "", "1.5", "\u0661"])
def test_bad_page_size_is_refused(anonymous: APIClient, size: str) -> None:
    answer = anonymous.get(f"{V1}/matches/", {"page_size": size})

    assert_problem(answer, status=400, code="bad_page_size", attr="page_size")


def test_token_without_the_scope_sees_no_private_match() -> None:
    author = make_user()
    match = make_match([make_version(owner=author)] * 2, kind=MatchKind.VALIDATION)
    narrow = client_of(author, scopes=[Scope.BOTS_WRITE])
    wide = client_of(author, scopes=[Scope.PRIVATE_READ])

    assert narrow.get(f"{V1}/matches/{match.pk}/").status_code == 404
    assert narrow.get(f"{V1}/matches/?kind=validation").json()["results"] == []
    assert wide.get(f"{V1}/matches/{match.pk}/").status_code == 200
