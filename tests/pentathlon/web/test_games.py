"""The list of games tells a spectator what they are, and costs the same with more results."""

import pytest
from django.test import Client

from pentathlon_engines import GAMES
from tests.factories import make_version
from tests.pentathlon.ratings.rankings.rated import rate
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def test_each_game_has_a_position_a_sentence_and_its_leader() -> None:
    rate(make_version(name="Best of all"), mu=40)

    page = page_of(Client().get("/games/"))

    boards = [each for each in page.all("svg") if "board" in each.get("class", "")]
    assert len(boards) == len(GAMES)
    assert "The first to make a line of three equal animals wins." in page.text
    assert "led by Best of all, which beats an average bot at least" in page.text
    assert page.text.count("plies a match") == len(GAMES)
