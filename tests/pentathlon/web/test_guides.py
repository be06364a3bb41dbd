"""The guides: one list, and a way through all of them."""

import json
import re
from html import unescape
from itertools import pairwise

import pytest
from django.core.management import get_commands
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from pentathlon.env import CHECKOUT
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.ratings.skill import MU
from pentathlon.ratings.uncertainty import PROVISIONAL_SIGMA
from pentathlon.web.docs.game_guides import leads, stages
from pentathlon.web.docs.guides import REFUSALS, SHELVES, Guide, place_of
from pentathlon.web.templatetags.kit import article
from pentathlon_engines.cli.commands.init import BotTemplate
from pentathlon_engines.contract.author_guide import example_position
from pentathlon_engines.errors import BadArchive, BadManifest, LargeArchive
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.record.advice import what_to_do
from pentathlon_engines.tournament.formats.divisions import MOST_BOTS
from pentathlon_engines.tournament.formats.ladder import MOST_SHARE
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

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


@pytest.mark.parametrize("guide", PAGES, ids=lambda guide: guide.name)
def test_guide_reads_nothing_but_what_workers_offer(guide: Guide) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert Client().get(guide.address).status_code == 200

    read = re.findall(r'(?:FROM|JOIN) "(\w+)"', " ".join(query["sql"] for query in queries))
    assert set(read) <= {Worker._meta.db_table, WorkerToken._meta.db_table}


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


def test_every_fault_is_explained_with_its_mend() -> None:
    page = page_of(Client().get("/docs/why-did-i-lose/"))

    assert {kind.value for kind in FaultKind} <= set(page.ids())
    for kind in FaultKind:
        assert " ".join(what_to_do(kind).split()) in page.text


def test_every_code_of_a_refused_archive_is_explained() -> None:
    engines = CHECKOUT / "engines/pentathlon_engines"
    files = [engines / "manifest.py", *(engines / "archive").glob("*.py")]
    raised = {code for file in files for code in re.findall(r'code="([a-z_]+)"', file.read_text())}

    assert set(REFUSALS) == raised | {BadArchive.code, LargeArchive.code, BadManifest.code}


def test_operators_read_of_settings_and_commands_that_exist() -> None:
    html = Client().get("/docs/operators/").content.decode()

    known = (CHECKOUT / "platform/pentathlon/env.py").read_text()
    settings = set(re.findall(r"PENTATHLON_[A-Z_]+|[A-Z]+_URL", html))
    commands = set(re.findall(r"manage\.py ([a-z_]+)", html))
    assert len(settings) >= 15
    assert {name for name in settings if f'"{name}"' not in known} == set()
    assert len(commands) >= 8
    assert commands <= set(get_commands())


def test_numbers_of_the_rating_guide_are_those_of_the_code() -> None:
    page = page_of(Client().get("/docs/ratings/"))

    assert f"While sigma is above {PROVISIONAL_SIGMA}, a rating is provisional" in page.text
    assert f"at most {100 * MOST_SHARE[0] // MOST_SHARE[1]} % of a bot" in page.text
    assert f"divisions of at most {MOST_BOTS}" in page.text
    new, _, settled = stages()
    assert (new.bar.strength, new.rating) == (MU, 0.0)
    assert settled.bar.reach < new.bar.reach / 5
    assert settled.bar.strength > MU
    assert 0.75 < leads()[1].percent / 100 < 0.77


def test_game_page_shows_the_observation_that_the_engine_makes() -> None:
    response = Client().get("/docs/bots/azure/")
    state = example_position("azure")
    seen = state.observation(state.to_move)
    del seen["legal"]

    shown = re.search(r'<pre class="wrap"[^>]*>(.*?)</pre>', response.content.decode(), re.DOTALL)
    assert shown is not None
    assert json.loads(unescape(shown[1])) == seen


def test_unknown_game_has_no_page_for_authors() -> None:
    assert Client().get("/docs/bots/chess/").status_code == 404


def test_first_bot_names_every_language() -> None:
    page = page_of(Client().get("/docs/first-bot/"))

    for template in BotTemplate:
        assert template.value in page.text.lower()


def test_pages_lead_to_the_guide_that_helps(scene: Scene) -> None:
    client = Client()
    client.force_login(scene.author)
    fault = scene.faulty.seats.exclude(fault_kind="").get()
    wanted = {
        "/games/azure/": "/docs/bots/azure/",
        "/bots/new/": "/docs/first-bot/",
        f"/bots/{fault.version.bot_id}/": "/docs/why-did-i-lose/",
        f"/versions/{scene.rejected.pk}/": "/docs/why-did-i-lose/#validation",
        f"/tournaments/{scene.closed.pk}/": "/docs/ratings/#best",
        f"/leaderboards/{scene.faulty.game}/": "/docs/ratings/",
    }

    missing = {
        address: guide
        for address, guide in wanted.items()
        if guide not in page_of(client.get(address)).links()
    }

    assert missing == {}


def test_explanation_of_a_fault_leads_to_its_words(scene: Scene) -> None:
    fault = scene.faulty.seats.exclude(fault_kind="").get()
    client = Client()
    client.force_login(fault.version.bot.owner)

    links = page_of(client.get(f"/matches/{scene.faulty.pk}/")).links()

    assert f"/docs/why-did-i-lose/#{fault.fault_kind}" in links
