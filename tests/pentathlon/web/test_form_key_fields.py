"""Every form that is posted has the fields that `csrf_token` writes, the key among them."""

import re
from typing import Final

from django.test import Client
from django.urls import URLPattern, get_resolver

from pentathlon.web.form_keys import new_form_key
from pentathlon.web.views.errors import SECRETS
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene
from tests.pentathlon.web.test_forms import as_person
from tests.pentathlon.web.tour import make_tour

_MACHINES: Final = {"oauth_token", "oauth_revoke"}
"""Addresses that apps use, without a page."""
_NOT_TEXT: Final = SECRETS | {"csrfmiddlewaretoken", "form_key"}
_OPEN: Final = {"/theme/", "/sign-out/"}
"""Addresses that take forms from people who have not signed in."""


def test_every_address_that_takes_forms_answers_them_once() -> None:
    """Whatever a view is, the middleware sees it first: none of ours is left out but machines'."""
    patterns = get_resolver("pentathlon.web.urls").url_patterns
    exempt = {
        each.name
        for each in patterns
        if isinstance(each, URLPattern) and getattr(each.callback, "csrf_exempt", False)
    }

    assert exempt == _MACHINES


def test_every_form_has_a_key_and_no_text_is_lost_when_the_session_has_ended(
    scene: Scene,
) -> None:
    """For every form of every page: its texts wait for the person to whom it was shown."""
    tried = set()
    for visit in make_tour(scene):
        answer = (as_person(visit.reader) if visit.reader else Client()).get(visit.address)
        page = page_of(answer)
        posted = [form for form in page.all("form") if form.get("method") == "post"]
        keys = [each["value"] for each in page.all("input") if each.get("name") == "form_key"]
        assert len(keys) == len(set(keys)) == len(posted), visit.name
        if visit.reader is None:
            continue
        html = answer.content.decode()
        for form in re.findall(r'<form[^>]*method="post".*?</form>', html, re.DOTALL):
            names = re.findall(r'<(?:input|textarea|select)[^>]* name="(\w+)"', form)
            texts = {name: f"text of {name}" for name in names if name not in _NOT_TEXT}
            action = re.search(r'^<form[^>]* action="([^"]+)"', form)
            address = action[1] if action else visit.address
            if not texts or address in _OPEN:
                continue
            client = Client()
            key = new_form_key(visit.reader)
            answer = client.post(address, {**texts, "form_key": key})
            assert answer.get("Location", "").startswith("/sign-in/"), address
            client.force_login(visit.reader)
            waiting = client.get("/sign-in/typed/").content.decode()
            assert all(text in waiting for text in texts.values()), address
            tried.add(address)

    assert len(tried) > 20
