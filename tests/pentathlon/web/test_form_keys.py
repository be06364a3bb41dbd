"""Forms carry a key: one that is sent twice makes one thing, and both requests get its answer."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest
from django.conf import settings
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.letters import reset_link
from pentathlon.accounts.models import ApiToken, IdempotencyRecord, User
from pentathlon.accounts.oauth.models import OAuthApp
from pentathlon.bots.models import Bot
from pentathlon.fleet.models import WorkerToken
from pentathlon.tournaments.models import Tournament
from pentathlon.web.form_keys import AnswerFormsOnce
from pentathlon.webhooks.models import WebhookEndpoint
from tests.factories import PASSWORD, make_staff, make_upload, make_user
from tests.pentathlon.together import all_at_once
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import _CUP, _NEW_CUP, as_person, zip_file

pytestmark = pytest.mark.django_db

_KEY: Final = {"form_key": "k" * 24}
_WEBHOOK: Final = {"url": "https://hooks.example.org/in", "events": ["version.validated"]}


def test_key_is_new_each_time() -> None:
    client = as_person(make_user(organiser=True))

    pages = [page_of(client.get(_NEW_CUP)).all("input") for _ in range(2)]
    keys = [each["value"] for page in pages for each in page if each.get("name") == "form_key"]

    assert len(keys) == len(set(keys)) > 2


@pytest.mark.django_db(transaction=True)
def test_double_click_makes_one_tournament() -> None:
    person = make_user(organiser=True)
    clients = [as_person(person) for _ in range(3)]

    answers = all_at_once([partial(each.post, _NEW_CUP, _CUP | _KEY) for each in clients])

    assert Tournament.objects.count() == 1
    place = reverse("tournament", args=[Tournament.objects.get().pk])
    assert [answer.headers["Location"] for answer in answers] == [place] * 3
    told = [[str(each) for each in get_messages(answer.wsgi_request)] for answer in answers]
    assert told == [["Cup is open for entries."]] * 3


@pytest.mark.django_db(transaction=True)
def test_double_click_makes_one_account() -> None:
    new = {"username": "mirela", "email": "m@example.org", "password": PASSWORD}

    answers = all_at_once([partial(Client().post, "/sign-up/", new | _KEY) for _ in range(2)])

    assert [answer.status_code for answer in answers] == [302, 302]
    assert all("sessionid" in answer.cookies for answer in answers)
    assert User.objects.count() == 1


def test_account_of_somebody_else_is_not_signed_in_by_the_form_of_a_new_one() -> None:
    new = {"username": "mirela", "email": "m@example.org", "password": PASSWORD}
    Client().post("/sign-up/", new)

    for change in ({"password": "another of 12 letters"}, {"email": "x@example.org"}):
        answer = Client().post("/sign-up/", new | change)
        assert answer.status_code == 200
        assert "is taken" in page_of(answer).text


def test_changed_form_is_another_form() -> None:
    client = as_person(make_user(organiser=True))

    for name in ("Cup", "Cap"):
        client.post(_NEW_CUP, {**_CUP, **_KEY, "name": name})

    assert Tournament.objects.count() == 2


def test_same_form_of_another_person_is_another_form() -> None:
    for _ in range(2):
        as_person(make_user(organiser=True)).post(_NEW_CUP, _CUP | _KEY)

    assert Tournament.objects.count() == 2


def test_refused_form_can_be_sent_again() -> None:
    person = make_user()
    client = as_person(person)
    assert client.post(_NEW_CUP, _CUP | _KEY).status_code == 403
    User.objects.filter(pk=person.pk).update(is_organiser=True)

    assert client.post(_NEW_CUP, {**_CUP, **_KEY, "cycles": "0"}).status_code == 200
    assert client.post(_NEW_CUP, _CUP | _KEY).status_code == 302


def _upload(client: Client) -> Any:
    archive = zip_file(make_upload("Tiger"))
    return client.post("/bots/new/", {"archive": archive, **_KEY})


def test_upload_sent_twice_makes_one_bot() -> None:
    client = as_person(make_user())

    first, second = _upload(client), _upload(client)

    assert first.headers["Location"] == second.headers["Location"]
    assert Bot.objects.count() == 1


_SHOWN_ONCE: Final[dict[str, tuple[str, dict[str, Any], Callable[[], int]]]] = {
    "token": (
        "/account/",
        {"name": "ci", "scopes": ["bots:write"], "days": 30},
        ApiToken.objects.count,
    ),
    "webhook": ("/account/webhooks/new/", _WEBHOOK, WebhookEndpoint.objects.count),
    "app": (
        "/account/apps/new/",
        {
            "name": "App",
            "redirect_uris": "https://app.example.org/in",
            "homepage": "https://app.example.org/",
            "is_confidential": "yes",
        },
        OAuthApp.objects.count,
    ),
    "worker": (
        "/workers/join/",
        {"name": "m1", "slots": 2, "work": ["unrated"]},
        WorkerToken.objects.count,
    ),
}


@pytest.mark.parametrize("what", _SHOWN_ONCE)
def test_secret_is_shown_in_both_answers(what: str) -> None:
    address, form, count_them = _SHOWN_ONCE[what]
    client = as_person(make_staff())

    first, second = (client.post(address, form | _KEY) for _ in range(2))

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert count_them() == 1


def test_database_has_no_secret_of_a_kept_answer() -> None:
    address, form, _ = _SHOWN_ONCE["token"]
    answer = as_person(make_user()).post(address, form | _KEY)
    secret = re.search(r"ptl_\w+", answer.content.decode())

    assert secret is not None
    kept = IdempotencyRecord.objects.get()
    assert secret[0] not in str(kept.body)
    assert _KEY["form_key"] not in kept.key + kept.fingerprint


def test_form_that_changes_the_session_is_not_kept() -> None:
    person = make_user()
    form = {"username": person.username, "password": PASSWORD, **_KEY}

    answers = [Client().post("/sign-in/", form) for _ in range(2)]

    assert all("sessionid" in answer.cookies for answer in answers)
    assert not IdempotencyRecord.objects.exists()


def test_visitor_answers_a_letter_once() -> None:
    """Nobody is signed in where a forgotten password is set: the key alone says who it is."""
    person = make_user()
    form = {"link": reset_link(person), "new": "another of 12 letters", **_KEY}

    answers = [Client().post("/sign-in/reset/new/", form) for _ in range(2)]

    assert [answer.headers.get("Location") for answer in answers] == ["/sign-in/"] * 2


def test_forms_are_looked_at_last() -> None:
    """A refused form, such as one without a token of Django's, gets no answer of another."""
    assert settings.MIDDLEWARE[-1].endswith(AnswerFormsOnce.__name__)
