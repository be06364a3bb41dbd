"""Forms that take passwords cannot be tried for long."""

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from pentathlon.core.throttle import count_second_factor
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


class TestShutOut:
    """Strangers who try passwords do not keep the owner of an account out."""

    @pytest.fixture
    def browser(self) -> Client:
        """Return a browser in which the owner of an account has signed in before."""
        self.owner = make_user()
        browser = Client(REMOTE_ADDR="10.5.0.1")
        form = {"username": self.owner.username, "password": PASSWORD}
        browser.post(reverse("sign_in"), form, REMOTE_ADDR="10.5.0.2")
        browser.post("/sign-out/")
        return browser

    def _sign_in(self, browser: Client, password: str = PASSWORD) -> int:
        form = {"username": self.owner.username, "password": password}
        return browser.post(reverse("sign_in"), form).status_code

    def _strangers_try(self, *addresses: str) -> list[int]:
        return [self._sign_in(Client(REMOTE_ADDR=each), "no") for each in addresses]

    def test_from_one_address(self, browser: Client, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "sign_ins_of_browser": "2/hour"}

        assert self._strangers_try(*["10.6.0.1"] * 3) == [200, 200, 429]

        assert self._sign_in(Client(REMOTE_ADDR="10.5.0.9")) == 302
        assert self._sign_in(browser) == 302

    def test_from_many_addresses(self, browser: Client, settings: Settings) -> None:
        # The first sign-in of the owner has counted, too.
        settings.RATES = {**settings.RATES, "sign_ins_of_account": "3/hour"}

        assert self._strangers_try("10.6.0.1", "10.6.0.2", "10.6.0.3") == [200, 200, 429]

        assert self._sign_in(Client(REMOTE_ADDR="10.5.0.9")) == 429
        assert self._sign_in(browser) == 302

    def test_from_the_address_of_the_owner(self, browser: Client, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "sign_ins_of_browser": "2/hour"}

        assert self._strangers_try(*["10.5.0.1"] * 3) == [200, 200, 429]

        assert self._sign_in(browser) == 302

    def test_while_the_owner_changes_the_password(
        self, browser: Client, settings: Settings
    ) -> None:
        settings.RATES = {
            **settings.RATES,
            "sign_ins_of_account": "2/hour",
            "sign_ins_of_browser": "2/hour",
        }
        browser.force_login(self.owner)
        self._strangers_try(*["10.5.0.1"] * 3, "10.6.0.2", "10.6.0.3")

        answer = browser.post(
            reverse("password_change"), {"old": PASSWORD, "new": "another of 12 letters"}
        )

        assert answer.status_code == 302

    def test_known_browser_has_no_endless_tries(self, browser: Client, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "sign_ins_of_browser": "2/hour"}

        assert [self._sign_in(browser, "no") for _ in range(3)] == [200, 200, 429]

    def test_known_browser_of_another_account_is_a_stranger(
        self, browser: Client, settings: Settings
    ) -> None:
        settings.RATES = {**settings.RATES, "sign_ins_of_account": "1/hour"}
        self.owner = make_user()
        self._strangers_try("10.6.0.1")

        assert self._sign_in(browser) == 429

    def test_forged_cookie_is_a_stranger(self, browser: Client, settings: Settings) -> None:
        settings.RATES = {**settings.RATES, "sign_ins_of_account": "1/hour"}
        self._strangers_try("10.6.0.1")
        browser.cookies["known_browser"] = browser.cookies["known_browser"].value[:-1] + "x"

        assert self._sign_in(browser) == 429


def test_second_factors_of_a_known_browser_count_by_themselves(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "second_factors": "1/hour"}

    assert not count_second_factor(7)
    assert count_second_factor(7)
    assert not count_second_factor(7, browser="a")
    assert count_second_factor(7, browser="a")
