import pytest
from django.test import Client

from tests.pentathlon.web.crawling import crawl
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def test_every_link_of_an_empty_platform_leads_to_a_valid_page() -> None:
    found = crawl(Client())

    assert {"/games/tuned/", "/leaderboards/tuned/", "/tournaments/", "/bots/"} <= set(found)


def test_empty_site_shows_games_boards_and_an_exhibition() -> None:
    page = page_of(Client().get("/"))

    assert "Bots play board games" in page.text
    assert len([each for each in page.all("a") if each.get("class") == "tile"]) == 5
    assert "exhibition" in page.text
    assert [each for each in page.all("section") if "data-tv" in each]
    assert "No rated matches yet" not in page.text
