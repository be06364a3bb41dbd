"""Playing against bots by the API, for other front ends."""

from typing import Any

import pytest

from pentathlon.friendlies.models import Friendly
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user, make_version
from tests.pentathlon.friendlies.acting import answer, begun, play_to_end

pytestmark = pytest.mark.django_db
ADDRESS = f"{V1}/friendlies/"


def test_whole_game() -> None:
    person, bot = make_user(), make_version().bot
    client = client_of(person)

    made: Any = client.post(
        ADDRESS, {"game": "tuned", "bots": [bot.pk], "seat": 0}, format="json"
    ).json()
    address = f"{ADDRESS}{made['id']}/"
    while made["state"] in ("person", "bot"):
        if made["state"] == "bot":
            answer(Friendly.objects.get(pk=made["id"]))
            made = client.get(address).json()
        else:
            asked = {"ply": made["ply"], "action": made["legal"][0]}
            made = client.post(f"{address}act/", asked, format="json").json()

    assert made["state"] == "done"
    assert {seat["rank"] for seat in made["seats"]} == {0, 1}
    assert client.get(f"{address}record/").json()["person"]["seat"] == 0


def test_legal_actions_and_observation_are_the_persons_alone() -> None:
    friendly = begun()

    own: Any = client_of(friendly.person).get(f"{ADDRESS}{friendly.pk}/").json()
    other = client_of(make_user()).get(f"{ADDRESS}{friendly.pk}/")

    assert own["observation"]["you"] == 0
    assert "add dog b2" in own["legal"]
    assert_problem(other, status=404, code="not_found")


@pytest.mark.parametrize(
    ("asked", "status", "code", "field"),
    [
        ({"ply": 0, "action": "add dog z9"}, 400, "illegal_action", "action"),
        ({"ply": 3, "action": "add dog b2"}, 409, "late_action", "ply"),
        ({"ply": 0, "action": "add dog b2", "undo": True}, 400, "unknown_field", "undo"),
    ],
)
def test_action_that_cannot_be_done_is_refused(
    asked: dict[str, Any], status: int, code: str, field: str
) -> None:
    friendly = begun()

    refused = client_of(friendly.person).post(f"{ADDRESS}{friendly.pk}/act/", asked, format="json")

    assert_problem(refused, status=status, code=code, attr=field)


def test_game_goes_on_from_a_finished_one() -> None:
    first = play_to_end(begun())
    asked = {"friendly": first.pk, "ply": 1, "bots": [make_version().bot_id]}

    made: Any = client_of(make_user()).post(ADDRESS, asked, format="json").json()

    assert (made["origin_friendly"], made["origin_ply"], made["seat"]) == (first.pk, 1, 1)


def test_board_and_record_follow_the_state() -> None:
    friendly = begun()
    client = client_of(friendly.person)
    address = f"{ADDRESS}{friendly.pk}/"

    assert client.get(f"{address}board.svg").status_code == 200
    assert_problem(client.get(f"{address}record/"), status=409, code="not_over")
    client.post(f"{address}resign/")
    assert client.get(f"{address}record/").status_code == 200
    assert_problem(client.get(f"{address}board.svg"), status=404, code="not_found")


def test_list_has_own_games_and_those_that_are_over() -> None:
    own, hidden, over = begun(), begun(), play_to_end(begun())

    listed: Any = client_of(own.person).get(ADDRESS).json()

    assert {each["id"] for each in listed["results"]} == {own.pk, over.pk}
    assert hidden.pk not in {each["id"] for each in listed["results"]}
