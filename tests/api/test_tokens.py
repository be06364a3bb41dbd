import base64
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from pentathlon.accounts.models import ApiToken, Scope
from tests.api.client import V1, assert_problem, client_of
from tests.factories import PASSWORD, make_token, make_user

pytestmark = pytest.mark.django_db


def with_password(username: str, password: str = PASSWORD) -> APIClient:
    client = APIClient()
    pair = base64.b64encode(f"{username}:{password}".encode()).decode()
    client.credentials(HTTP_AUTHORIZATION=f"Basic {pair}")
    return client


def in_browser(username: str) -> APIClient:
    client = APIClient(enforce_csrf_checks=True)
    assert client.login(username=username, password=PASSWORD)
    return client


def test_password_makes_a_token_that_works() -> None:
    person = make_user()

    answer = with_password(person.username).post(
        f"{V1}/tokens/", {"name": "laptop", "scopes": ["bots:write"], "days": 3}
    )

    assert answer.status_code == 201
    body = answer.json()
    assert body["token"].startswith("ptl_")
    assert (body["name"], body["scopes"]) == ("laptop", ["bots:write"])
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {body['token']}")
    assert client.post(f"{V1}/bots/", {}).status_code == 415


def test_token_has_all_scopes_unless_told_otherwise() -> None:
    answer = with_password(make_user().username).post(f"{V1}/tokens/", {"name": "laptop"})

    assert answer.json()["scopes"] == Scope.values


def test_list_shows_own_tokens_without_secrets() -> None:
    person = make_user()
    token, secret = make_token(person)
    make_token(make_user())

    answer = with_password(person.username).get(f"{V1}/tokens/")

    assert [row["id"] for row in answer.json()["results"]] == [str(token.public_id)]
    assert secret not in answer.content.decode()
    assert token.digest not in answer.content.decode()


def test_revoked_token_stops_working() -> None:
    person = make_user()
    token, secret = make_token(person)

    answer = with_password(person.username).delete(f"{V1}/tokens/{token.public_id}/")

    assert answer.status_code == 204
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    assert_problem(client.get(f"{V1}/bots/"), status=401, code="authentication_failed")


def test_tokens_of_others_are_not_found() -> None:
    token, _ = make_token(make_user())

    answer = with_password(make_user().username).delete(f"{V1}/tokens/{token.public_id}/")

    assert_problem(answer, status=404, code="not_found")
    assert ApiToken.objects.exists()


@pytest.mark.parametrize(
    ("body", "attr", "code"),
    [
        ({}, "name", "required"),
        ({"name": ""}, "name", "blank"),
        ({"name": "x" * 61}, "name", "max_length"),
        ({"name": "x", "scopes": ["root"]}, "scopes.0", "invalid_choice"),
        ({"name": "x", "scopes": "bots:write"}, "scopes", "not_a_list"),
        ({"name": "x", "days": 0}, "days", "min_value"),
        ({"name": "x", "days": 366}, "days", "max_value"),
        ({"name": "x", "days": "soon"}, "days", "invalid"),
        ({"name": "x\0"}, "name", "null_characters_not_allowed"),
    ],
)
def test_bad_request_names_the_field(body: dict[str, Any], attr: str, code: str) -> None:
    answer = with_password(make_user().username).post(f"{V1}/tokens/", body)

    assert_problem(answer, status=400, code=code, attr=attr)
    assert not ApiToken.objects.exists()


def test_token_cannot_make_tokens() -> None:
    answer = client_of(make_user()).post(f"{V1}/tokens/", {"name": "more"})

    assert_problem(answer, status=401, code="not_authenticated")


@pytest.mark.parametrize("password", ["wrong", ""])
def test_wrong_password_is_refused(password: str) -> None:
    client = with_password(make_user().username, password)

    answer = client.post(f"{V1}/tokens/", {"name": "x"})

    assert_problem(answer, status=401, code="authentication_failed")


def test_passwords_cannot_be_tried_for_long(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "sign_ins": "2/min"}
    person = make_user()
    wrong, right = with_password(person.username, "wrong"), with_password(person.username)
    for _ in range(2):
        assert wrong.get(f"{V1}/tokens/").status_code == 401

    answer = right.get(f"{V1}/tokens/")

    assert_problem(answer, status=429, code="throttled")
    assert 0 < int(answer.headers["Retry-After"]) <= 60


def test_other_address_header_does_not_help_to_try_passwords(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "sign_ins": "2/min"}
    client = with_password(make_user().username, "wrong")

    codes = [
        client.get(f"{V1}/tokens/", headers={"X-Forwarded-For": f"10.0.0.{n}"}).status_code
        for n in range(4)
    ]

    assert codes == [401, 401, 429, 429]


def test_session_needs_the_csrf_token() -> None:
    person = make_user()

    answer = in_browser(person.username).post(f"{V1}/tokens/", {"name": "x"})

    assert_problem(answer, status=403, code="permission_denied")


def test_session_with_the_csrf_token_makes_a_token() -> None:
    client = in_browser(make_user().username)
    csrf = "a" * 32
    client.cookies["csrftoken"] = csrf

    answer = client.post(f"{V1}/tokens/", {"name": "x"}, headers={"X-CSRFToken": csrf})

    assert answer.status_code == 201


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer a b", "Bearer nope", "Bearer ptl_" + "0" * 64, "Bearer \xff\xfe"]
)
def test_unusable_token_is_refused(header: str) -> None:
    answer = APIClient().get(f"{V1}/bots/", HTTP_AUTHORIZATION=header)

    assert_problem(answer, status=401, code="authentication_failed")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_expired_token_is_refused() -> None:
    person = make_user()
    client = client_of(person)
    ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))

    assert_problem(client.get(f"{V1}/bots/"), status=401, code="authentication_failed")


def test_token_of_a_deactivated_person_is_refused() -> None:
    person = make_user()
    client = client_of(person)
    person.is_active = False
    person.save()

    assert_problem(client.get(f"{V1}/bots/"), status=401, code="authentication_failed")


def test_use_of_a_token_is_noted() -> None:
    client = client_of(make_user())

    client.get(f"{V1}/bots/")

    assert ApiToken.objects.get().last_used_at is not None
