"""The guides: one list, and a way through all of them."""

from itertools import pairwise

import pytest
from django.test import Client
from django.urls import get_resolver

from pentathlon.web.guides import SHELVES, Guide, place_of
from pentathlon.web.templatetags.guides import article
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

GUIDES = [guide for shelf in SHELVES for guide in shelf.guides]
PAGES = [guide for guide in GUIDES if not guide.is_elsewhere]


def test_contents_lead_to_every_guide() -> None:
    page = page_of(Client().get("/docs/"))

    listed = [link for link in page.links() if link in {guide.address for guide in GUIDES}]
    assert set(listed) == {guide.address for guide in GUIDES}
    assert {shelf.key for shelf in SHELVES} <= set(page.ids())


def test_no_page_below_docs_is_missing_in_the_list() -> None:
    routes = get_resolver("pentathlon.web.urls").reverse_dict
    below = {
        name
        for name in routes
        if isinstance(name, str)
        for text, _ in routes.getlist(name)[0][0]
        if text.startswith("docs/") and name != "docs"
    }

    assert below
    assert below <= {guide.name for guide in PAGES}


def test_no_address_is_listed_twice() -> None:
    addresses = [guide.address for guide in GUIDES]

    assert sorted(set(addresses)) == sorted(addresses)


@pytest.mark.parametrize("guide", PAGES, ids=lambda guide: guide.address)
def test_page_has_contents_anchors_and_a_title(guide: Guide) -> None:
    page = page_of(Client().get(guide.address))

    links, ids = page.links(), page.ids()
    headings = [each for each in page.all("h2", "h3") if "id" not in each]
    own = [link.removeprefix("#") for link in links if link.startswith("#")]
    assert page.mistakes == []
    assert headings == []
    assert set(own) <= set(ids)
    assert len(page.all("h1")) == 1


def test_pages_are_one_way_from_the_first_to_the_last() -> None:
    for left, right in pairwise(PAGES):
        assert place_of(left.address).next == right
        assert place_of(right.address).previous == left

    assert place_of(PAGES[0].address).previous is None
    assert place_of(PAGES[-1].address).next is None
    page = page_of(Client().get(PAGES[1].address))
    (before,) = [a for a in page.all("a") if a.get("rel") == "prev"]
    (after,) = [a for a in page.all("a") if a.get("rel") == "next"]
    assert (before["href"], after["href"]) == (PAGES[0].address, PAGES[2].address)


def test_headings_get_anchors_and_contents() -> None:
    parts = "".join(f"<h2>Part {n} &amp; <code>x</code></h2><p>text</p>" for n in range(3))

    html = article(parts)

    assert (
        '<h2 id="part-0-x">Part 0 &amp; <code>x</code> <a class="anchor" href="#part-0-x"' in html
    )
    assert '<li><a href="#part-2-x">Part 2 &amp; x</a></li>' in html
