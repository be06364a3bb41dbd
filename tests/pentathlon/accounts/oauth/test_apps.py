"""People register apps, and see which apps act for them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.audit.models import AuditAction, AuditEvent
from pentathlon.accounts.models import User
from pentathlon.accounts.oauth.models import OAuthApp, is_allowed
from pentathlon.accounts.oauth.services import (
    MOST_APPS,
    block_app,
    change_app,
    delete_app,
    end_access,
    register_app,
    rotate_app_secret,
)
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed, NotFound
from tests.factories import make_staff, make_user
from tests.pentathlon.accounts.oauth.acting import FakeApp, browser_of
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

FORM = {
    "name": "Charts",
    "homepage": "https://app.example.org/",
    "redirect_uris": "https://app.example.org/callback\nhttp://127.0.0.1/callback",
}


@pytest.fixture
def author() -> User:
    return make_user()


@pytest.mark.parametrize(("kind", "shows"), [("yes", True), ("no", False)])
def test_app_is_registered_and_its_secret_shown_once(author: User, kind: str, shows: bool) -> None:
    browser = browser_of(author)

    made = page_of(browser.post(reverse("app_new"), {**FORM, "is_confidential": kind}))
    app = OAuthApp.objects.get()
    later = page_of(browser.get(reverse("app", args=[app.pk])))

    assert app.redirects == FORM["redirect_uris"].split()
    assert app.client_id in made.text
    assert ("The secret of the app." in made.text) is shows
    assert "The secret of the app." not in later.text
    assert "Make a new secret" in later.text or not shows
    assert (made.mistakes, later.mistakes) == ([], [])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"redirect_uris": []}, "required"),
        ({"redirect_uris": ["http://app.example.org/"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["http://localhost/"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["https://app.example.org/#top"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["https://*.example.org/"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["https://a@app.example.org/"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["https://app.example.org/; form-action *"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["https://"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["https://app.example.org:99999/"]}, "bad_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "bad_redirect_uri"),
        ({"redirect_uris": [f"https://a{n}.example.org/" for n in range(11)]}, "required"),
        ({"name": " "}, "bad_name"),
        ({"name": "Pent\u202eathlon"}, "bad_name"),
        ({"homepage": "http://app.example.org/"}, "bad_homepage"),
        ({"homepage": "javascript:alert(1)"}, "bad_homepage"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_cannot_be_used_is_refused(
    author: User, changes: dict[str, object], code: str
) -> None:
    wanted: dict[str, Any] = {  # Any: arguments, right and wrong
        "name": "Charts",
        "homepage": "https://app.example.org/",
        "redirect_uris": ["https://app.example.org/callback"],
        "is_confidential": True,
        **changes,
    }

    with pytest.raises(InvalidInput) as caught:
        register_app(actor=author, **wanted)

    assert caught.value.code == code


def test_there_is_a_most_of_apps(author: User) -> None:
    for _ in range(MOST_APPS):
        FakeApp(owner=author)

    with pytest.raises(Conflict) as caught:
        FakeApp(owner=author)

    assert caught.value.code == "too_many_apps"


@pytest.mark.parametrize(
    ("registered", "asked", "allowed"),
    [
        ("https://a.example/cb", "https://a.example/cb", True),
        ("https://a.example/cb", "https://a.example:443/cb", False),
        ("https://a.example/cb", "https://A.example/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", True),
        ("http://127.0.0.1:1/cb?a=1", "http://127.0.0.1:2/cb?a=1", True),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb?a=1", False),
        ("http://127.0.0.1/cb", "http://[::1]:5000/cb", False),
        ("http://127.0.0.1/cb", "http://localhost:5000/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000@evil.example/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", False),
        ("http://127.0.0.1/cb", "http://x@127.0.0.1:5000/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:port/cb", False),
        ("http://[::1]/cb", "http://[::1]:5000/cb", True),
    ],
)
def test_addresses_match_to_the_letter_but_for_ports_of_loopback(
    registered: str, asked: str, allowed: bool
) -> None:
    assert is_allowed([registered], asked) is allowed


def test_apps_of_others_are_out_of_reach(author: User) -> None:
    app, other = FakeApp(owner=author, keeps_secret=True), make_user()
    facts: dict[str, Any] = {
        "name": "Mine",
        "homepage": "https://evil.example/",
        "redirect_uris": ["https://e.ex/"],
    }

    for steal in (
        lambda: change_app(actor=other, app_id=app.row.pk, **facts),
        lambda: rotate_app_secret(actor=other, app_id=app.row.pk),
        lambda: delete_app(actor=other, app_id=app.row.pk),
        lambda: end_access(actor=other, app_id=app.row.pk),
    ):
        with pytest.raises(NotFound):
            steal()
    for name in ("app", "app_delete"):
        address = reverse(name, args=[app.row.pk])
        assert browser_of(other).get(address).status_code == 404
    with pytest.raises(NotAllowed):
        block_app(actor=other, app_id=app.row.pk, reason="Envy.")


def test_page_lists_what_apps_may_do_and_ends_it(author: User) -> None:
    app, browser = FakeApp(), browser_of(author)
    app.tokens_of(author, scope="identity:read bots:write")
    again = FakeApp()
    again.tokens_of(author, scope="identity:read")

    page = page_of(browser.get(reverse("apps")))
    done = browser.post(reverse("app_end_access", args=[app.row.pk]), follow=True)

    assert "upload, challenge with and retire own bots" in page.text
    assert page.text.count("know who you are") == 2
    assert "The app no longer acts for you." in page_of(done).text
    assert page_of(done).text.count("know who you are") == 1
    assert page.mistakes == []


def test_author_changes_and_deletes_an_app(author: User) -> None:
    app, browser = FakeApp(owner=author, keeps_secret=True), browser_of(author)
    address = reverse("app", args=[app.row.pk])
    reader = make_user()
    app.tokens_of(reader)

    browser.post(address, {**FORM, "name": "Better charts"})
    rotated = page_of(browser.post(reverse("app_secret", args=[app.row.pk])))
    name = app.stored.name
    browser.post(reverse("app_delete", args=[app.row.pk]))

    assert name == "Better charts"
    assert "The secret of the app." in rotated.text
    assert not OAuthApp.objects.exists()
    assert "You let no app act for you." in page_of(browser_of(reader).get(reverse("apps"))).text


def test_blocking_is_audited_and_shown(author: User) -> None:
    staff, app = make_staff(), FakeApp(owner=author)

    block_app(actor=staff, app_id=app.row.pk, reason="It sells names.")

    event = AuditEvent.objects.get(action=AuditAction.APP_BLOCK)
    assert (event.actor, event.person, event.reason) == (staff, author, "It sells names.")
    assert "blocked by staff" in page_of(browser_of(author).get(reverse("apps"))).text
    with pytest.raises(DomainError):
        block_app(actor=staff, app_id=app.row.pk, reason="Again.")


def test_pages_are_for_people_who_have_signed_in() -> None:
    app = FakeApp()

    for name in ("app", "app_secret", "app_delete", "app_end_access"):
        response = Client().post(reverse(name, args=[app.row.pk]))
        assert response.headers["Location"].startswith("/sign-in/")
