"""The page of a match: its replay without a script, boards, records, and how it stands."""

import json
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon.web.replay import viewer
from pentathlon.web.templatetags.formats import explain_cards
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


def test_replay_opens_at_its_start(scene: Scene) -> None:
    page = match_page(scene.done)

    assert current_rows(page) == []
    assert f"0 / {scene.done.ply}" in page.text


@pytest.mark.parametrize("back", [pytest.param(0, id="at the end"), pytest.param(1, id="before")])
def test_ranks_are_shown_at_the_end_only(scene: Scene, back: int) -> None:
    page = match_page(scene.done, f"?ply={scene.done.ply - back}")

    results = [span for span in page.all("span") if "data-at-end" in span]
    assert [("hidden" in span) for span in results] == [back > 0] * 2


def test_desk_record_gives_no_rank_away_before_its_end(scene: Scene) -> None:
    desk = DeskRecord.objects.get()
    address = reverse("desk_record", args=[desk.pk])
    last = len(desk.record["events"])

    for ply in (0, last):
        page = page_of(Client().get(f"{address}?ply={ply}"))
        results = [span for span in page.all("span") if "data-at-end" in span]
        assert [("hidden" in span) for span in results] == [ply < last] * 2
    assert "1st" not in Client().get(address).content.decode().split("data-at-end")[0]


def test_time_is_what_was_used_until_the_ply(scene: Scene) -> None:
    record = read_record(scene.done.replay)
    moment = reverse("moment", args=[scene.done.pk])

    def used(ply: int) -> list[str]:
        (told,) = [div for div in part_of(Client().get(moment, {"ply": ply})).all("div")
                   if "data-moment" in div]  # fmt: skip
        return told["data-used"].split(",")

    ply = len(record["events"])
    totals = [sum(row[2] for row in record["events"][:ply] if row[0] == seat) for seat in (0, 1)]
    assert used(0) == ["0.00", "0.00"]
    assert used(ply) == [f"{total / 1000:.2f}" for total in totals]
    assert "0.00 s of" in match_page(scene.done).text


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
    ("query", "rows"),
    [
        pytest.param("?ply=999999", 1, id="after the end"),
        pytest.param("?ply=x", 0, id="no number"),
        pytest.param("?ply=-1", 0, id="before the start"),
        pytest.param("?seat=7", 0, id="no such seat"),
        pytest.param("?ply=" + "9" * 30, 0, id="huge"),
    ],
)
def test_senseless_query_shows_start_or_end(scene: Scene, query: str, rows: int) -> None:
    assert current_rows(match_page(scene.done, query)) == [str(scene.done.ply)] * rows


def test_seat_to_move_is_marked(scene: Scene) -> None:
    places = [
        attributes["data-place"]
        for attributes in match_page(scene.done, "?ply=1").all("div")
        if "to-move" in attributes.get("class", "").split()
    ]

    assert places == ["1"]


def test_every_action_stands_in_the_list_in_words(scene: Scene) -> None:
    record = read_record(scene.done.replay)

    page = match_page(scene.done)

    said = [a["data-said"] for a in page.all("a") if "data-row" in a]
    assert len(said) == len(record["events"])
    assert said[0].startswith(f"ply 1, seat 0: Violet puts a {record['events'][0][1].split()[1]}")
    assert all(event[1] in page.text for event in record["events"])


def test_position_is_told_in_words(scene: Scene) -> None:
    page = match_page(scene.done, "?ply=1")

    _, action = read_record(scene.done.replay)["events"][0][:2]
    _, animal, cell = action.split()
    words = page.text.partition("Position in words")[2]
    assert f"{cell}: {animal}" in words
    assert "empty" not in words.partition("Actions")[0]


def test_moment_tells_the_last_action_and_the_ending(scene: Scene) -> None:
    address = reverse("moment", args=[scene.done.pk])

    start, end = (
        Client().get(address, {"ply": ply}).content.decode() for ply in (0, scene.done.ply)
    )

    assert "The match begins." in start
    assert "wins.</b>" not in start
    assert "wins.</b>" in end


def test_list_of_a_long_match_comes_in_parts(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "ROWS", 4)
    page = match_page(scene.done, "?ply=6")
    answer = Client().get(reverse("actions", args=[scene.done.pk]), {"ply": 3})
    first, second = (
        [a for a in part.all("a") if "data-row" in a] for part in (part_of(answer), page)
    )

    assert [a["data-row"] for a in second] == ["4", "5", "6", "7", "8", "9"][: len(second)]
    assert [a["data-row"] for a in first] == ["1", "2", "3", "4", "5"]
    assert [a["data-row"] for a in second if "tabindex" not in a][1:-1] == ["6"]


def test_names_of_cards_carry_their_texts() -> None:
    said = explain_cards("Violet summons Clan Axeman (common) on <e5>", "tash_kalar")

    assert 'tabindex="0">Clan Axeman<span class="tip" role="tooltip">Optional: destroy' in said
    assert said.endswith("(common) on &lt;e5&gt;")


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


@pytest.mark.parametrize("state", [MatchState.PENDING, MatchState.RUNNING, MatchState.VOID])
def test_unfinished_match_has_nothing_to_show(state: MatchState) -> None:
    match = make_match(state=state)

    for name in ("board", "moment", "actions", "record"):
        assert Client().get(reverse(name, args=[match.pk])).status_code == 404, name


def test_waiting_match_says_why_it_is_not_running(scene: Scene) -> None:
    waiting = Match.objects.filter(place__tournament=scene.paused)[0]

    assert "Its tournament is paused." in match_page(waiting).text


def test_running_match_is_followed_until_it_is_done(scene: Scene) -> None:
    page = match_page(scene.live)
    (card,) = [a for a in page.all("section") if "data-renew" in a]
    client = Client(headers={"X-Part": "true"})

    part = part_of(client.get(card["data-renew"]))
    Match.objects.filter(pk=scene.live.pk).update(state=MatchState.VOID)
    stopped = part_of(client.get(card["data-renew"]))

    assert "ply 9" in part.text
    assert [a for a in part.all("section") if "data-renew" in a]
    assert not [a for a in stopped.all("section") if "data-renew" in a]


def test_finished_match_reloads_the_page_that_waited(scene: Scene) -> None:
    client = Client(headers={"X-Part": "true"})

    response = client.get(reverse("match", args=[scene.done.pk]))

    assert response["X-Reload"] == "true"


def test_void_match_blames_no_bot(scene: Scene) -> None:
    text = match_page(scene.void).text

    assert "Three hosts failed." in text
    assert "changes no rating" in text
