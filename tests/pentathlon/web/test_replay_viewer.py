"""The page of a match: its replay without a script, boards, records, and how it stands."""

import json
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.matches.models import Match, MatchState
from pentathlon.replays.services import read_record
from pentathlon_engines.record.record import verify_record
from tests.factories import make_match
from tests.pentathlon.web.pages import Page, page_of, part_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


def match_page(match: Match, query: str = "") -> Page:
    return page_of(Client().get(reverse("match", args=[match.pk]) + query))


def controls(page: Page) -> dict[str, str]:
    return {link["data-do"]: link["href"] for link in page.all("a") if "data-do" in link}


def current_rows(page: Page) -> list[str]:
    return [a["data-row"] for a in page.all("a") if "data-row" in a and "aria-current" in a]


def test_replay_opens_at_its_end(scene: Scene) -> None:
    page = match_page(scene.done)

    assert current_rows(page) == [str(scene.done.ply)]
    assert f"{scene.done.ply} / {scene.done.ply}" in page.text


def test_links_step_without_a_script(scene: Scene) -> None:
    page = match_page(scene.done, "?ply=2")

    assert current_rows(page) == ["2"]
    assert controls(page) == {
        "first": "?ply=0",
        "back": "?ply=1",
        "forward": "?ply=3",
        "last": f"?ply={scene.done.ply}",
    }


def test_start_position_has_no_current_action(scene: Scene) -> None:
    page = match_page(scene.done, "?ply=0")

    assert current_rows(page) == []
    assert controls(page)["back"] == "?ply=0"


@pytest.mark.parametrize(
    "query", ["?ply=999999", "?ply=x", "?ply=-1", "?seat=7", "?ply=" + "9" * 30]
)
def test_senseless_ply_shows_the_end(scene: Scene, query: str) -> None:
    assert current_rows(match_page(scene.done, query)) == [str(scene.done.ply)]


def test_seat_to_move_is_marked(scene: Scene) -> None:
    places = [
        attributes["data-place"]
        for attributes in match_page(scene.done, "?ply=1").all("div")
        if "to-move" in attributes.get("class", "").split()
    ]

    assert places == ["1"]


def test_every_action_stands_in_the_list(scene: Scene) -> None:
    record = read_record(scene.done.replay)

    page = match_page(scene.done)

    assert [a["data-said"] for a in page.all("a") if "data-row" in a] == [
        f"ply {ply}, seat {seat}: {text}"
        for ply, (seat, text, *_) in enumerate(record["events"], start=1)
    ]


def test_fault_is_named_with_ply_and_facts(scene: Scene) -> None:
    text = match_page(scene.faulty).text

    assert "cpu time" in text
    assert "ply 2: used 1.2 s of CPU time" in text


def test_receipt_shows_what_is_needed_to_check_it(scene: Scene) -> None:
    text = match_page(scene.done).text

    assert str(scene.done.seed) in text
    assert scene.done.chain[:12] in text
    assert "re-simulated" in text


def test_record_can_be_verified_by_anybody(scene: Scene) -> None:
    response = Client().get(reverse("record", args=[scene.done.pk]))

    assert verify_record(json.loads(response.content)).to_move is None
    assert f"match-{scene.done.pk}.json" in response["Content-Disposition"]


def test_board_is_a_drawing_that_may_be_kept(scene: Scene) -> None:
    response = Client().get(reverse("board", args=[scene.done.pk]), {"ply": 1})

    assert response["Content-Type"] == "image/svg+xml"
    assert "immutable" in response["Cache-Control"]
    assert ET.fromstring(response.content).tag == "{http://www.w3.org/2000/svg}svg"


def test_board_is_kept_alike_from_a_page_and_from_the_api(scene: Scene) -> None:
    page, api = reverse("board", args=[scene.done.pk]), reverse("api:board", args=[scene.done.pk])

    answers = [Client().get(address, {"ply": 1}) for address in (page, api)]
    again = Client().get(page, {"ply": 1}, headers={"If-None-Match": answers[0]["ETag"]})

    assert answers[0]["Cache-Control"] == answers[1]["Cache-Control"]
    assert (again.status_code, again.content) == (304, b"")


def test_boards_differ_from_ply_to_ply(scene: Scene) -> None:
    address = reverse("board", args=[scene.done.pk])

    boards = {Client().get(address, {"ply": ply}).content for ply in range(3)}

    assert len(boards) == 3


@pytest.mark.parametrize("name", ["board", "record"])
@pytest.mark.parametrize("state", [MatchState.PENDING, MatchState.RUNNING, MatchState.VOID])
def test_unfinished_match_has_nothing_to_show(name: str, state: MatchState) -> None:
    match = make_match(state=state)

    assert Client().get(reverse(name, args=[match.pk])).status_code == 404


def test_waiting_match_says_why_it_is_not_running(scene: Scene) -> None:
    waiting = Match.objects.filter(place__tournament=scene.paused)[0]

    assert "Its tournament is paused." in match_page(waiting).text


def test_running_match_is_followed_until_it_is_done(scene: Scene) -> None:
    page = match_page(scene.live)
    (card,) = [a for a in page.all("section") if "hx-get" in a]
    client = Client(headers={"HX-Request": "true"})

    part = part_of(client.get(card["hx-get"]))
    Match.objects.filter(pk=scene.live.pk).update(state=MatchState.VOID)
    stopped = part_of(client.get(card["hx-get"]))

    assert "ply 9" in part.text
    assert [a for a in part.all("section") if "hx-get" in a]
    assert not [a for a in stopped.all("section") if "hx-get" in a]


def test_finished_match_reloads_the_page_that_waited(scene: Scene) -> None:
    client = Client(headers={"HX-Request": "true"})

    response = client.get(reverse("match", args=[scene.done.pk]))

    assert response["HX-Refresh"] == "true"


def test_void_match_blames_no_bot(scene: Scene) -> None:
    text = match_page(scene.void).text

    assert "Three hosts failed." in text
    assert "changes no rating" in text
