"""Follow every link of ours, as a reader with much time would."""

from collections import Counter
from collections.abc import Iterator
from urllib.parse import parse_qs, urljoin, urlsplit

from django.test import Client
from django.urls import resolve

from tests.pentathlon.web.pages import Page, page_of

MOST_PAGES = 400


def crawl(client: Client, *, most_of_a_kind: int = MOST_PAGES) -> dict[str, Page]:
    """Follow links of ours from the home page; return the pages by address.

    Args:
        most_of_a_kind: how many pages of each view to look at, with a query and without;
            all of them if not said.
    """
    waiting, found = ["/"], dict[str, Page]()
    asked, kinds = set[str](), Counter[tuple[str, bool]]()
    while waiting and len(found) < MOST_PAGES:
        address = waiting.pop(0)
        if address in asked or not _is_ours(address):
            continue
        asked.add(address)
        kind = _kind_of(address)
        if kinds[kind] == most_of_a_kind:
            continue
        kinds[kind] += 1
        response = client.get(address, follow=True)
        assert response.status_code == 200, address
        if response["Content-Type"].startswith("text/html"):
            found[address] = page_of(response)
            waiting += _targets(address, found[address])
    return found


def _is_ours(address: str) -> bool:
    return address.startswith("/") and not address.startswith(("/api/", "/admin/"))


def _kind_of(address: str) -> tuple[str, bool]:
    path, _, query = address.partition("?")
    return resolve(path).view_name, bool(query)


def _narrows_list(link: str) -> bool:
    parts = urlsplit(link)
    filters = parse_qs(parts.query).keys() & {"game", "state"}
    return bool(filters) and parts.path in ("/matches/", "/tournaments/")


def _targets(address: str, page: Page) -> Iterator[str]:
    # Every ply has a link; the first three stand for all.
    links = page.links()
    plies = [link for link in links if "ply=" in link]
    # Two bots can be compared in many ways; the first stands for all.
    ways = [link for link in links if "/against/" in urljoin(address, link)]
    ways = [link for link in ways if "?" in link]
    # A list has a page for each state of each game; the first stands for all.
    filters = [link for link in links if _narrows_list(urljoin(address, link))]
    ones_of_many = {*plies[3:], *ways[1:], *filters[1:]}
    for link in dict.fromkeys(links):
        is_left_out = link in ones_of_many or "/explorer/?" in link  # without end
        if not is_left_out and not urlsplit(link).netloc:
            yield urljoin(address, link).partition("#")[0]
