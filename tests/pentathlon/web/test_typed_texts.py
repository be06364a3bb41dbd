"""Nothing that was typed is lost because a session has ended or a token was too old."""

import pkgutil
import re
from importlib import import_module
from typing import Any, Final

import pytest
from django import forms
from django.test import Client

from pentathlon.tournaments.models import Tournament
from pentathlon.web import forms as our_forms
from pentathlon.web.views.errors import SECRETS
from tests.factories import PASSWORD, make_upload, make_user
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import _CUP, _NEW_CUP, as_person, zip_file

pytestmark = pytest.mark.django_db
_TYPED: Final = "/sign-in/typed/"
_TEXT: Final = {"name": "Sunday’s <cup>", "text": "two\r\nlines"}


def shown_to(client: Client, address: str) -> str:
    """Return the key of a form on a page as this client sees it."""
    page = page_of(client.get(address))
    return next(each["value"] for each in page.all("input") if each.get("name") == "form_key")


def sign_in(client: Client, username: str) -> Any:
    form = {"username": username, "password": PASSWORD, "next": _TYPED}
    return client.post("/sign-in/", form)


def texts_of(response: Any) -> dict[str, str]:
    html = response.content.decode()
    main = html[html.index("<main") :]
    inputs = re.findall(r'<input type="text"[^>]* name="(\w+)" value="([^"]*)"', main)
    areas = re.findall(r'<textarea[^>]* name="(\w+)"[^>]*>\n(.*?)</textarea>', main, re.DOTALL)
    return dict(inputs + areas)


def test_form_after_the_end_of_a_session_waits_behind_the_sign_in() -> None:
    person = make_user(organiser=True)
    client = as_person(person)
    key = shown_to(client, _NEW_CUP)
    client.session.flush()

    answer = client.post(_NEW_CUP, {**_CUP, "form_key": key}, follow=True)

    assert "what you typed is kept" in page_of(answer).text
    assert answer.redirect_chain[0][0] == "/sign-in/?next=%2Fsign-in%2Ftyped%2F"
    assert sign_in(client, person.username)["Location"] == _TYPED
    page = client.get(_TYPED)
    assert texts_of(page) == _CUP
    assert f'action="{_NEW_CUP}"' in page.content.decode()
    client.post(_NEW_CUP, texts_of(page) | {"form_key": shown_to(client, _TYPED)})
    assert Tournament.objects.get().name == "Cup"
    assert "Nothing is kept" in page_of(client.get(_TYPED)).text


def test_text_is_given_back_as_it_was_typed() -> None:
    person, client = make_user(), Client()
    client.post("/challenges/new/", {**_TEXT, "form_key": f"k.{person.pk}"})
    sign_in(client, person.username)

    page = client.get(_TYPED)

    assert page_of(page).mistakes == []
    assert texts_of(page) == {"name": "Sunday’s &lt;cup&gt;", "text": "two\r\nlines"}


def test_text_of_somebody_else_is_not_shown() -> None:
    writer, client = make_user(), Client()
    client.post("/challenges/new/", {**_TEXT, "form_key": f"k.{writer.pk}"})

    sign_in(client, make_user().username)

    assert "Nothing is kept" in page_of(client.get(_TYPED)).text


def test_text_waits_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    person, client = make_user(), Client()
    client.post("/challenges/new/", {**_TEXT, "form_key": f"k.{person.pk}"})
    sign_in(client, person.username)
    monkeypatch.setattr("pentathlon.web.views.errors.time.time", lambda: 10**11)

    assert "Nothing is kept" in page_of(client.get(_TYPED)).text


def test_files_are_asked_for_again() -> None:
    person, client = make_user(), Client()
    sent = {"archive": zip_file(make_upload("Tiger")), "notes": "faster"}
    client.post("/bots/new/", {**sent, "form_key": f"k.{person.pk}"})
    sign_in(client, person.username)

    page = client.get(_TYPED)

    assert texts_of(page) == {"notes": "faster"}
    assert page_of(page).field("archive")["type"] == "file"
    assert 'enctype="multipart/form-data"' in page.content.decode()


def test_every_form_with_a_password_keeps_it_secret() -> None:
    """Also a form that does not exist yet: its field must be on the list."""
    for module in pkgutil.iter_modules(our_forms.__path__, f"{our_forms.__name__}."):
        for form in vars(import_module(module.name)).values():
            if isinstance(form, type) and issubclass(form, forms.BaseForm):
                fields = getattr(form, "base_fields", {}).items()
                secret = {name for name, f in fields if isinstance(f.widget, forms.PasswordInput)}
                assert secret <= SECRETS, form


@pytest.mark.parametrize("name", sorted(SECRETS))
def test_secrets_are_neither_kept_nor_shown(name: str) -> None:
    person, client = make_user(), Client(enforce_csrf_checks=True)
    form = {name: "a secret", "notes": "x", "form_key": f"k.{person.pk}"}

    refused = client.post("/account/password/", form, HTTP_ORIGIN="http://testserver")
    client.handler.enforce_csrf_checks = False
    client.post("/account/password/", form)
    kept = str(dict(client.session))

    assert refused.status_code == 403
    assert "a secret" not in refused.content.decode() + kept
    assert "notes" in kept


def test_form_that_was_too_old_can_be_sent_from_the_refusal() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(organiser=True))

    refused = client.post(_NEW_CUP, _CUP, HTTP_ORIGIN="http://testserver")

    assert refused.status_code == 403
    page = page_of(refused)
    assert texts_of(refused) == _CUP
    token = [each["value"] for each in page.all("input") if "csrf" in each.get("name", "")][-1]
    client.post(_NEW_CUP, texts_of(refused) | {"csrfmiddlewaretoken": token})
    assert Tournament.objects.count() == 1


@pytest.mark.parametrize("origin", [{}, {"HTTP_ORIGIN": "null"}])
def test_form_of_unknown_origin_is_shown_without_a_button(origin: dict[str, str]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user(organiser=True))

    refused = client.post(_NEW_CUP, _CUP, **origin)  # type: ignore[arg-type]  # headers

    assert refused.status_code == 403
    assert "Cup" in page_of(refused).text
    assert texts_of(refused) == {}
    assert f'action="{_NEW_CUP}"' not in refused.content.decode()
