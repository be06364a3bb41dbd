"""The page on which a person signs in a terminal."""

import pytest
from django.test import Client
from pytest_django import Settings

from pentathlon.accounts.device_logins import begin_device_login
from pentathlon.accounts.models import DeviceLogin, Scope
from tests.factories import PASSWORD, make_user
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def login() -> DeviceLogin:
    """Return a terminal that waits."""
    made, _ = begin_device_login(
        name="pentathlon on desk", scopes=[Scope.BOTS_WRITE], address="192.0.2.7"
    )
    return made


def signed_in() -> Client:
    client = Client()
    client.force_login(make_user())
    return client


def test_page_asks_who_is_there_and_leads_back(login: DeviceLogin) -> None:
    person = make_user()
    client = Client()
    address = f"/activate/?code={login.shown_code}"

    asked = client.get(address)
    form = {"username": person.username, "password": PASSWORD, "next": address}
    back = client.post("/sign-in/", form)

    assert asked.status_code == 302
    assert asked["Location"].startswith("/sign-in/?next=/activate/")
    assert back["Location"] == address


def test_page_tells_which_terminal_waits_and_what_it_may(login: DeviceLogin) -> None:
    page = page_of(signed_in().get("/activate/", {"code": login.user_code.lower()}))

    assert "pentathlon on desk" in page.text
    assert login.shown_code in page.text
    assert "192.0.2.7" in page.text
    assert Scope.BOTS_WRITE.label in page.text
    assert Scope.TOURNAMENTS_WRITE.label not in page.text


@pytest.mark.parametrize("answer", ["approve", "deny", "nonsense"])
def test_only_approve_approves(login: DeviceLogin, answer: str) -> None:
    done = signed_in().post("/activate/", {"code": login.user_code, "answer": answer})

    login.refresh_from_db()
    assert done.status_code == 302
    assert (login.answer == DeviceLogin.Answer.APPROVED) == (answer == "approve")


def test_code_is_answered_once(login: DeviceLogin) -> None:
    form = {"code": login.user_code, "answer": "deny"}
    signed_in().post("/activate/", form)

    again = page_of(signed_in().post("/activate/", {**form, "answer": "approve"}))

    login.refresh_from_db()
    assert login.answer == DeviceLogin.Answer.DENIED
    assert "No terminal is waiting with this code" in again.text


@pytest.mark.parametrize("code", ["", "BCDF", "0000-0000", "x" * 30, "\0"])
def test_wrong_code_is_refused_in_a_sentence(login: DeviceLogin, code: str) -> None:
    page = page_of(signed_in().post("/activate/", {"code": code}))

    assert "One thing needs a change" in page.text
    assert login.shown_code not in page.text


def test_codes_cannot_be_tried_without_end(login: DeviceLogin, settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "typed_codes": "2/min"}
    client = signed_in()

    codes = [client.get("/activate/", {"code": "BCDFGHJK"}).status_code for _ in range(3)]

    assert codes == [200, 200, 429]


def test_answer_needs_the_token_of_the_page(login: DeviceLogin) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user())

    refused = client.post("/activate/", {"code": login.user_code, "answer": "approve"})

    login.refresh_from_db()
    assert refused.status_code == 403
    assert login.answer == DeviceLogin.Answer.NONE
