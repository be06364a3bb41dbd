"""Every form that is posted has the fields that `csrf_token` writes, the key among them."""

from typing import Final

from django.test import Client
from django.urls import URLPattern, get_resolver

from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene
from tests.pentathlon.web.test_forms import as_person
from tests.pentathlon.web.tour import make_tour

_MACHINES: Final = {"oauth_token", "oauth_revoke"}
"""Addresses that apps use, without a page."""


def test_every_form_of_every_page_has_a_key(scene: Scene) -> None:
    for visit in make_tour(scene):
        client = Client() if visit.reader is None else as_person(visit.reader)
        page = page_of(client.get(visit.address))
        posted = [form for form in page.all("form") if form.get("method") == "post"]
        keys = [each["value"] for each in page.all("input") if each.get("name") == "form_key"]

        assert len(keys) == len(set(keys)) == len(posted), visit.name


def test_every_address_that_takes_forms_answers_them_once() -> None:
    """Whatever a view is, the middleware sees it first: none of ours is left out but machines'."""
    patterns = get_resolver("pentathlon.web.urls").url_patterns
    exempt = {
        each.name
        for each in patterns
        if isinstance(each, URLPattern) and getattr(each.callback, "csrf_exempt", False)
    }

    assert exempt == _MACHINES
