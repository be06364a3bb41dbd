"""What the page of a tournament says of its first places."""

import re

import pytest
from django.test import Client

from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.standings import standings
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


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
