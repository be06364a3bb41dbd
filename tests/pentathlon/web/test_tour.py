"""Every address of the site is a page that the tour visits, or says why it is none."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from django.test import Client

from pentathlon.accounts.models import User
from pentathlon.web.form_keys import new_form_key
from pentathlon.web.urls import urlpatterns
from pentathlon.web.views.errors import SECRETS
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene
from tests.pentathlon.web.tour import NO_PAGES, make_tour

pytestmark = pytest.mark.django_db

_MACHINES: Final = {"oauth_token", "oauth_revoke"}
"""Addresses that apps use, without a page."""
_NOT_TEXT: Final = SECRETS | {"csrfmiddlewaretoken", "form_key"}
_OPEN: Final = {"/theme/", "/sign-out/"}
"""Addresses that take forms from people who have not signed in."""


def test_every_address_that_takes_forms_answers_them_once() -> None:
    """Whatever a view is, the middleware sees it first: none of ours is left out but machines'."""
    exempt = {each.name for each in urlpatterns if getattr(each.callback, "csrf_exempt", False)}

    assert exempt == _MACHINES


def test_tour_visits_every_page_and_no_form_loses_its_texts(scene: Scene) -> None:
    """Every posted form has a key; its texts wait for its reader when the session has ended."""
    tour = make_tour(scene)
    visited = {visit.name for visit in tour}
    named = {pattern.name for pattern in urlpatterns} | {"api:docs", "api:reference"}
    tried = set[tuple[str, tuple[str, ...]]]()

    assert visited & NO_PAGES.keys() == set()
    assert visited | NO_PAGES.keys() == named
    for visit in tour:
        client = Client()
        if visit.reader is not None:
            client.force_login(visit.reader)
        response = client.get(visit.address)
        assert response.status_code == 200, visit.address
        page = page_of(response)
        posted = [form for form in page.all("form") if form.get("method") == "post"]
        keys = [each["value"] for each in page.all("input") if each.get("name") == "form_key"]
        assert len(keys) == len(set(keys)) == len(posted), visit.name
        if visit.reader is None:
            continue
        for address, names in _forms(response.content.decode(), visit.address):
            if (address, names) not in tried:
                tried.add((address, names))
                _demand_that_texts_wait(visit.reader, address, names)
    assert len({address for address, _ in tried}) > 20


def _forms(html: str, own: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield where each form with texts is posted, and the names of the texts."""
    for form in re.findall(r'<form[^>]*method="post".*?</form>', html, re.DOTALL):
        names = re.findall(r'<(?:input|textarea|select)[^>]* name="(\w+)"', form)
        texts = tuple(name for name in names if name not in _NOT_TEXT)
        action = re.search(r'^<form[^>]* action="([^"]+)"', form)
        address = action[1] if action else own
        if texts and address not in _OPEN:
            yield address, texts


def _demand_that_texts_wait(reader: User, address: str, names: tuple[str, ...]) -> None:
    texts = {name: f"text of {name}" for name in names}
    client = Client()
    answer = client.post(address, {**texts, "form_key": new_form_key(reader)})
    assert answer.get("Location", "").startswith("/sign-in/"), address
    client.force_login(reader)
    waiting = client.get("/sign-in/typed/").content.decode()
    assert all(text in waiting for text in texts.values()), address
