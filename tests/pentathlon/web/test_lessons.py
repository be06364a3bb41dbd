"""The page that teaches a game in a minute."""

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon_engines import GAMES
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("game", GAMES)
def test_lesson_shows_a_board_for_each_step(game: str) -> None:
    page = page_of(Client().get(reverse("lesson", args=[game])))

    steps = [item for item in page.all("li") if item.get("id", "").startswith("step-")]
    assert len(steps) == len(GAMES[game].lesson())
    assert f"{GAMES[game].info.title} in 60 seconds" in page.text


def test_game_page_leads_to_the_lesson() -> None:
    page = page_of(Client().get(reverse("game", args=["tuned"])))

    assert reverse("lesson", args=["tuned"]) in [link.get("href") for link in page.all("a")]


def test_lesson_of_an_unknown_game_is_not_found() -> None:
    assert Client().get("/games/chess/lesson/").status_code == 404
