"""Every page that a reader can reach is there and valid, whoever reads."""

from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client

from tests.pentathlon.web.pages import Page, page_of
from tests.pentathlon.web.scene import make_scene

pytestmark = pytest.mark.django_db

_MOST_PAGES = 400


def crawl(client: Client) -> dict[str, Page]:
    """Follow every link of ours from the home page; return the pages by address."""
    waiting, found = ["/"], dict[str, Page]()
    while waiting and len(found) < _MOST_PAGES:
        address = waiting.pop(0)
        if address in found or not _is_ours(address):
            continue
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        if response["Content-Type"].startswith("text/html"):
            found[address] = page_of(response)
            waiting += _targets(address, found[address])
    return found


def _is_ours(address: str) -> bool:
    return address.startswith("/") and not address.startswith(("/api/", "/admin/"))


def _targets(address: str, page: Page) -> Iterator[str]:
    # Every ply has a link; the first three stand for all.
    plies = [link for link in page.links() if "ply=" in link]
    for link in page.links():
        if link not in plies[3:] and not urlsplit(link).netloc:
            yield urljoin(address, link).partition("#")[0]


@pytest.mark.parametrize("who", ["nobody", "author", "organiser"])
def test_every_link_leads_to_a_valid_page(who: str) -> None:
    scene = make_scene()
    client = Client()
    if who != "nobody":
        client.force_login(getattr(scene, who))

    found = crawl(client)

    assert f"/tournaments/{scene.closed.pk}/faults/" in found
    assert f"/matches/{scene.done.pk}/" in found
    assert 40 < len(found) < _MOST_PAGES


def test_every_link_of_an_empty_platform_leads_to_a_valid_page() -> None:
    found = crawl(Client())

    assert {"/games/tuned/", "/leaderboards/tuned/", "/tournaments/", "/bots/"} <= set(found)


def test_fragments_of_links_exist_on_their_pages() -> None:
    make_scene()
    found = crawl(Client())

    missing = {
        link
        for address, page in found.items()
        for link in page.links()
        if not urlsplit(link).netloc and "#" in link
        for target in [urljoin(address, link)]
        if target.partition("#")[0] in found
        and target.partition("#")[2] not in found[target.partition("#")[0]].ids()
    }

    assert missing == set()
