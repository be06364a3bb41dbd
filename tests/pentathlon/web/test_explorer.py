"""The explorer on pages and over REST."""

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from pentathlon.insight.explorer import services
from pentathlon.insight.explorer.services import DEPTH, count_positions
from pentathlon.matches.hidden_lanes import HiddenLane
from tests.api.client import V1, assert_problem
from tests.pentathlon.web.pages import page_of, part_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db

EXPLORER = "/games/tuned/explorer/"


@pytest.fixture
def counted(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Give a scene whose matches are in the explorer."""
    monkeypatch.setattr(services, "_SETTLED_S", -60)
    assert count_positions(for_s=60) > 3
    return scene


def test_explorer_shows_the_board_and_leads_on_and_back(counted: Scene) -> None:
    page = page_of(Client().get(EXPLORER))
    (link, *_) = [each for each in page.links() if "line=" in each]

    deeper = page_of(Client().get(link))

    assert page.all("svg")
    assert "Reached in" in page.text
    assert EXPLORER in deeper.links()
    assert "Ply 1." in deeper.text
    assert any(each.startswith(EXPLORER) and "%3B" in each for each in deeper.links())


def test_what_came_next_is_told_in_words_beside_its_notation(counted: Scene) -> None:
    page = page_of(Client().get(EXPLORER))
    first = APIClient().get(f"{V1}/games/tuned/explorer/").json()["next"][0]
    deeper = APIClient().get(f"{V1}/games/tuned/explorer/", {"line": first["text"]}).json()

    assert first["words"].startswith("Violet ")
    assert f"{first['words']} {first['text']}" in page.text
    assert deeper["words"] == [first["words"]]
    assert first["words"] in page_of(Client().get(EXPLORER, {"line": first["text"]})).text


def test_bars_show_how_the_seats_shared_the_points(counted: Scene) -> None:
    page = page_of(Client().get(EXPLORER))
    seats = [rect for rect in page.all("rect") if rect.get("height") == "100%"]
    reached = APIClient().get(f"{V1}/games/tuned/explorer/").json()

    assert [rect["class"] for rect in seats[:2]] == ["seat-0", "seat-1"]
    widths = [float(rect["width"].removesuffix("%")) for rect in seats[:2]]
    assert sum(widths) == pytest.approx(100, abs=0.2)
    # The bar is in a column and, for narrow screens, once more below the name.
    assert len(seats) == 2 + 4 * sum(each["matches"] > 0 for each in reached["next"])


def test_replay_leads_to_the_position_in_the_explorer(counted: Scene) -> None:
    match = counted.done.pk
    address = f"{EXPLORER}?match={match}&ply=2"
    page = page_of(Client().get(reverse("match", args=[match]), {"ply": "2"}))
    told = part_of(Client().get(reverse("moment", args=[match]), {"ply": "2"}))
    deep = part_of(Client().get(reverse("moment", args=[match]), {"ply": str(DEPTH + 1)}))

    assert address in page.links()
    assert address in told.links()
    assert not [each for each in deep.links() if "explorer" in each]
    assert f"From ply 2 of match {match}" in page_of(Client().get(address)).text


@pytest.mark.parametrize("game", ["azure", "maatatahay", "tash_kalar"])
def test_game_with_hidden_parts_says_why_it_has_no_explorer(game: str) -> None:
    page = page_of(Client().get(f"/games/{game}/explorer/"))

    assert "has no explorer" in page.text
    assert "hidden parts" in page.text
    assert f"/leaderboards/{game}/" in page.links()
    assert EXPLORER in page.links()


def test_hidden_matches_and_unknown_games_are_not_explored(counted: Scene) -> None:
    HiddenLane.objects.create(lane=counted.done.lane, organiser=counted.organiser)

    assert Client().get(EXPLORER, {"match": str(counted.done.pk), "ply": "2"}).status_code == 404
    assert Client().get("/games/chess/explorer/").status_code == 404


@pytest.mark.parametrize("line", ["<script>alert(1)</script>", "add donkey a1;" * 20, "move"])
def test_senseless_line_shows_the_start_and_says_why(line: str, db: None) -> None:
    answer = Client().get(EXPLORER, {"line": line})

    page = page_of(answer)
    assert "Ply 0." in page.text
    assert page.all("p")
    assert "<script>alert" not in answer.content.decode()


def test_api_tells_the_same_as_the_page(counted: Scene) -> None:
    first = APIClient().get(f"{V1}/games/tuned/explorer/").json()
    text = first["next"][0]["text"]

    deeper = APIClient().get(f"{V1}/games/tuned/explorer/", {"line": text}).json()

    assert first["matches"] > 3
    assert sum(first["points"]) == pytest.approx(1)
    assert deeper["ply"] == 1
    assert deeper["matches"] == first["next"][0]["matches"]


@pytest.mark.parametrize(
    ("address", "status", "code", "attr"),
    [
        ("/games/tuned/explorer/?line=nonsense", 400, "bad_line", "line"),
        ("/games/tuned/explorer/?depth=3", 400, "unknown_parameter", "depth"),
        ("/games/azure/explorer/", 404, "not_found", None),
    ],
)
def test_api_refuses_what_makes_no_sense(
    address: str, status: int, code: str, attr: str | None, db: None
) -> None:
    assert_problem(APIClient().get(V1 + address), status=status, code=code, attr=attr)


def test_table_of_any_size_has_its_own_start() -> None:
    address = "/games/way_of_the_dragon/explorer/"
    rest = f"{V1}/games/way_of_the_dragon/explorer/"

    page = page_of(Client().get(address, {"seats": "5"}))
    wrong = page_of(Client().get(address, {"seats": "9"}))
    nexts = APIClient().get(rest, {"seats": "5"}).json()["next"]

    assert {"?seats=2", "?seats=5"} <= set(page.links())
    assert [each["text"] for each in nexts] == [f"start {seat}" for seat in range(5)]
    assert f"{address}?seats=5&line=start+4" in page.links()
    assert "has 2 to 5 seats, not 9" in wrong.text
    for seats in ("9", "x", "-1"):
        assert_problem(
            APIClient().get(rest, {"seats": seats}), status=400, code="bad_seats", attr="seats"
        )
