"""Rules pages: contents, pictures before the law, every card with its text."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from pentathlon_engines import GAMES
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db


def page_and_body(game: str) -> tuple[Page, str]:
    answer = Client().get(reverse("rules", args=[game]))
    return page_of(answer), answer.content.decode()


@pytest.mark.parametrize("game", GAMES)
def test_rules_begin_with_pictures_and_end_with_the_cards(game: str) -> None:
    page, body = page_and_body(game)
    pictures = [each for each in page.all("svg") if "board" in each.get("class", "")]
    cards = GAMES[game].commentary().cards()

    assert len(pictures) == len(GAMES[game].lesson()) >= 4
    law = re.search(r'<h2 id="(?!in-short)', body)
    assert law is not None
    assert body.index('id="in-short"') < body.index('id="picture-1"') < law.start()
    assert body.index('id="cards"') > law.start()
    assert len(page.all("dt")) >= len(cards)
    for name, text in cards.items():
        assert f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" in body


@pytest.mark.parametrize("game", GAMES)
def test_worked_examples_have_pictures(game: str) -> None:
    page, body = page_and_body(game)
    examples = GAMES[game].examples()

    pictures = [each["src"] for each in page.all("img") if "/examples/" in each["src"]]

    assert len(pictures) == len(examples)
    assert all(f'id="{example["id"]}"' in body for example in examples)
    for address in pictures[:2]:
        answer = Client().get(address)
        assert answer["Content-Type"].startswith("image/svg+xml")
        assert ET.fromstring(answer.content).tag == "{http://www.w3.org/2000/svg}svg"
    beyond = reverse("example_board", args=[game, len(examples) + 1])
    assert Client().get(beyond).status_code == 404


@pytest.mark.parametrize("game", ["azure", "maatatahay", "tuned", "way_of_the_dragon"])
def test_every_worked_example_can_be_drawn(game: str) -> None:
    boards = [GAMES[game].load(each["position"]).svg(None) for each in GAMES[game].examples()]

    assert len(boards) >= 10
    assert all(board.startswith("<svg") for board in boards)


@pytest.mark.parametrize("game", GAMES)
def test_every_section_has_an_anchor_in_the_contents(game: str) -> None:
    page, body = page_and_body(game)
    contents = body[body.index('<nav class="contents"') :].partition("</nav>")[0]

    sections = re.findall(r'<h2 id="([^"]+)"', body)

    assert len(sections) >= 8
    assert re.findall(r'href="#([^"]+)"', contents) == sections
    assert set(sections) <= set(page.ids())
