"""One standing: the same tabs, order and figure wherever bots are compared."""

import re

import pytest
from django.test import Client

from pentathlon.ratings.models import Rating
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.standings import standings
from tests.factories import make_version
from tests.pentathlon.ratings.rankings.rated import rate
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

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


def test_finals_say_one_thing_about_the_best(scene: Scene) -> None:
    places = [[entry.number] for entry in scene.closed.entries.in_order()]
    Tournament.objects.filter(pk=scene.closed.pk).update(
        places=places, remark="the best of the finalists with a probability of 99 %"
    )

    page = page_of(Client().get(f"/tournaments/{scene.closed.pk}/"))

    assert "came first: the best of the finalists with a probability of 99 %." in page.text
    assert "given all results" not in page.text


def test_sentence_about_the_best_is_that_of_the_bars(scene: Scene) -> None:
    page = page_of(Client().get(f"/tournaments/{scene.closed.pk}/"))
    chances = sorted((row.chance_of_best for row in standings(scene.closed)), reverse=True)
    open_to = next(n for n in range(1, len(chances) + 1) if sum(chances[:n]) >= 0.95)

    sure = sum(chances[:open_to])
    assert (f"we are {100 * sure:.0f} % sure." in page.text) == (open_to == 1 or sure < 0.995)
    assert ("It is open between" in page.text) == (open_to > 1)


@pytest.mark.parametrize(("order", "column"), [(["fit"], True), (["points", "fit"], False)])
def test_what_decides_the_order_has_a_column_on_a_phone(
    scene: Scene, order: list[str], column: bool
) -> None:
    Tournament.objects.filter(pk=scene.closed.pk).update(tie_breaks=order)

    page = Client().get(f"/tournaments/{scene.closed.pk}/").content.decode()

    table = page.partition('id="standings"')[2].partition("</table>")[0]
    assert ('class="n" scope="col">Strength' in re.sub(r"\s+", " ", table)) is column
    assert table.index("Ordered by") < table.index("<table")
