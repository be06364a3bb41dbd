"""Forms that take passwords cannot be tried for long."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.factories import PASSWORD, make_user, next_number
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(settings: Settings) -> str:
    """Return an address that nobody has asked from; two tries a minute are allowed."""
    settings.RATES = {**settings.RATES, "sign_ins": "2/min"}
    return f"10.9.{next_number() % 250}.{next_number() % 250}"


@pytest.mark.parametrize("path", ["/sign-in/", "/sign-up/", "/sign-in/reset/"])
def test_third_try_gets_a_page_in_words(path: str, address: str) -> None:
    client = Client(REMOTE_ADDR=address)
    form = {"username": "mirela", "password": "no"}

    answers = [client.post(path, form) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    assert "This form was sent too often" in page_of(answers[2]).text


def test_right_password_does_not_help_after_too_many(address: str) -> None:
    user = make_user()
    client = Client(REMOTE_ADDR=address)
    for _ in range(2):
        client.post(reverse("sign_in"), {"username": user.username, "password": "no"})

    answer = client.post(reverse("sign_in"), {"username": user.username, "password": PASSWORD})

    assert answer.status_code == 429
    assert client.get(reverse("account")).status_code == 302


def test_looking_at_the_form_and_other_addresses_are_free(address: str) -> None:
    client = Client(REMOTE_ADDR=address)
    for _ in range(3):
        client.post(reverse("sign_in"), {"username": "mirela", "password": "no"})

    assert client.get(reverse("sign_in")).status_code == 200
    neighbour = Client(REMOTE_ADDR=address.replace("10.9.", "10.8."))
    assert neighbour.post(reverse("sign_in"), {"username": "mirela"}).status_code == 200


def test_tries_by_the_api_and_on_pages_count_together(address: str) -> None:
    api = APIClient(REMOTE_ADDR=address)
    api.credentials(HTTP_AUTHORIZATION="Basic bWlyZWxhOm5v")
    for _ in range(2):
        assert api.get("/api/v1/tokens/").status_code == 401

    answer = Client(REMOTE_ADDR=address).post(reverse("sign_in"), {"username": "mirela"})

    assert answer.status_code == 429


def test_tries_for_one_account_count_from_every_address(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "sign_ins_of_account": "2/hour"}
    api = APIClient(REMOTE_ADDR="10.7.0.1")
    api.credentials(HTTP_AUTHORIZATION="Basic bWlyZWxhOm5v")
    assert api.get("/api/v1/tokens/").status_code == 401
    form = {"username": "Mirela", "password": "no"}

    codes = [
        Client(REMOTE_ADDR=f"10.7.0.{number}").post(reverse("sign_in"), form).status_code
        for number in (2, 3)
    ]

    assert codes == [200, 429]
    others = {"username": "else", "password": "no"}
    assert Client(REMOTE_ADDR="10.7.0.9").post(reverse("sign_in"), others).status_code == 200
