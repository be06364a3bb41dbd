"""One standing: the same tabs, order and figure wherever bots are compared."""

import re

import pytest
from django.test import Client

from pentathlon.ratings.models import Rating
from tests.factories import make_version
from tests.pentathlon.ratings.rankings.rated import rate
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db
_TABS = ("/ranking/", "/leaderboards/azure/", "/leaderboards/tuned/", "/ladders/")


@pytest.mark.parametrize("address", ["/ranking/", "/leaderboards/tuned/", "/ladders/"])
def test_standings_are_one_entry_with_tabs(address: str) -> None:
    page = page_of(Client().get(address))

    assert {*_TABS} <= set(page.links())
    assert page.text.count("Standings") >= 1
    assert "Ratings" not in page.text


def test_page_embed_card_and_api_have_one_order_and_one_figure() -> None:
    for mu, sigma in ((31, 1), (34, 3), (25, 1)):
        version = make_version()
        rate(version, mu=mu)
        Rating.objects.filter(version=version).update(sigma=sigma)

    told = Client().get("/api/v1/leaderboards/tuned/").json()["results"]
    figures = [f"≥ {100 * row['beats_average']:.0f} %" for row in told]
    shown = [
        re.findall(r"≥ \d+ %", page_of(Client().get(address)).text)
        for address in ("/leaderboards/tuned/", "/embed/leaderboards/tuned/")
    ]

    assert [row["mu"] for row in told] == [31, 34, 25]
    assert figures == sorted(figures, key=lambda words: -int(words[2:-2]))
    assert shown == [figures, figures]


def test_other_figures_are_one_click_away() -> None:
    rate(make_version(), mu=31)
    page = page_of(Client().get("/leaderboards/tuned/"))

    assert "W–D–L" not in page.text
    assert "?figures=all" in page.links()
    assert "W–D–L" in page_of(Client().get("/leaderboards/tuned/?figures=all")).text
