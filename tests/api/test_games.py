import pytest
from rest_framework.test import APIClient

from pentathlon_engines import GAMES
from tests.api.client import V1, assert_problem

pytestmark = pytest.mark.django_db


def test_all_games_are_listed(anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/games/").json()

    assert [game["key"] for game in answer["results"]] == list(GAMES)
    assert (answer["next"], answer["previous"]) == (None, None)


@pytest.mark.parametrize("key", GAMES)
def test_game_tells_what_its_engine_knows(key: str, anonymous: APIClient) -> None:
    info = GAMES[key].info

    body = anonymous.get(f"{V1}/games/{key}/").json()

    assert (body["title"], body["rules_version"], body["longest"]) == (
        info.title,
        info.version,
        info.longest,
    )
    assert tuple(body["seats"]) == info.seats
    assert [option["name"] for option in body["options"]] == [o.name for o in info.options]


def test_unknown_game_is_not_found(anonymous: APIClient) -> None:
    answer = anonymous.get(f"{V1}/games/chess/")

    assert_problem(answer, status=404, code="not_found")
    assert "tuned" in answer.json()["detail"]
