"""Signing in a terminal: the code, the polls, and the token that comes out once."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from pentathlon.accounts.device_logins import VALID_S, answer_device_login
from pentathlon.accounts.models import ApiToken, DeviceLogin
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def begin(**fields: Any) -> Any:
    return APIClient().post(f"{V1}/device/", {"name": "laptop", **fields}).json()


def poll(device_code: str) -> Any:
    return APIClient().post(f"{V1}/device/token/", {"device_code": device_code})


def let_time_pass(seconds: float) -> None:
    login = DeviceLogin.objects.get()
    login.expires_at -= timedelta(seconds=seconds)
    if login.polled_at is not None:
        login.polled_at -= timedelta(seconds=seconds)
    login.save()


def test_login_names_both_codes_and_the_page() -> None:
    begun = begin()

    assert begun["verification_uri"] == "http://testserver/activate/"
    assert begun["verification_uri_complete"].endswith(f"/activate/?code={begun['user_code']}")
    assert len(begun["user_code"]) == 9
    assert begun["expires_in"] == VALID_S
    assert begun["device_code"] not in str(DeviceLogin.objects.values().get())


def test_poll_before_the_answer_is_pending() -> None:
    begun = begin()

    assert_problem(
        poll(begun["device_code"]), status=400, code="authorization_pending", attr="device_code"
    )


def test_poll_after_approval_gives_a_token_with_the_scopes_once() -> None:
    person = make_user()
    begun = begin(scopes=["bots:write"])
    answer_device_login(actor=person, user_code=begun["user_code"].lower(), approves=True)

    first, second = poll(begun["device_code"]), poll(begun["device_code"])

    assert first.status_code == 200
    body = first.json()
    assert (body["name"], body["scopes"]) == ("laptop", ["bots:write"])
    assert body["username"] == person.username
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {body['token']}")
    assert client.get(f"{V1}/tokens/current/").json()["username"] == person.username
    assert_problem(second, status=400, code="expired_token", attr="device_code")
    assert ApiToken.objects.count() == 1


def test_login_that_is_denied_gives_nothing() -> None:
    begun = begin()
    answer_device_login(actor=make_user(), user_code=begun["user_code"], approves=False)

    assert_problem(
        poll(begun["device_code"]), status=400, code="access_denied", attr="device_code"
    )
    assert not ApiToken.objects.exists()


def test_polls_that_come_too_fast_make_the_interval_longer() -> None:
    begun = begin()
    poll(begun["device_code"])

    assert_problem(poll(begun["device_code"]), status=400, code="slow_down", attr="device_code")
    let_time_pass(begun["interval"])
    assert_problem(poll(begun["device_code"]), status=400, code="slow_down", attr="device_code")
    let_time_pass(begun["interval"] + 10)
    assert poll(begun["device_code"]).json()["code"] == "authorization_pending"


def test_login_expires_whatever_the_answer_was() -> None:
    begun = begin()
    answer_device_login(actor=make_user(), user_code=begun["user_code"], approves=True)
    let_time_pass(VALID_S + 1)

    assert_problem(
        poll(begun["device_code"]), status=400, code="expired_token", attr="device_code"
    )


def test_expired_logins_are_removed_when_others_begin() -> None:
    begin()
    DeviceLogin.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    begin()

    assert DeviceLogin.objects.count() == 1


def test_unknown_scope_and_unknown_field_are_refused() -> None:
    client = APIClient()

    for fields in ({"name": "x", "scopes": ["all"]}, {"name": "x", "client_id": 1}, {"name": " "}):
        assert client.post(f"{V1}/device/", fields).status_code == 400


def test_codes_of_one_address_are_limited(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "device_logins": "2/hour"}

    codes = [APIClient().post(f"{V1}/device/", {"name": "x"}).status_code for _ in range(3)]

    assert codes == [201, 201, 429]


def test_token_says_whose_it_is_and_revokes_itself() -> None:
    person = make_user()
    client = client_of(person, scopes=["private:read"])

    told = client.get(f"{V1}/tokens/current/").json()

    assert (told["username"], told["scopes"]) == (person.username, ["private:read"])
    assert client.delete(f"{V1}/tokens/current/").status_code == 204
    assert client.get(f"{V1}/tokens/current/").status_code == 401
