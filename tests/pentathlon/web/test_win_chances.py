"""The win-chance curve of a replay: up to where the reader has come, in shapes and in words."""

from __future__ import annotations

import json

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.moments import score_line
from pentathlon.web.replay import win_chances
from pentathlon.web.replay.win_chances import chance_chart, score_chart
from pentathlon_engines import GAMES
from tests.engines.record.random_records import make_record
from tests.factories import make_match, make_replay
from tests.pentathlon.insight.analyses.curves import analyse, make_curve
from tests.pentathlon.web.pages import Page, page_of, part_of
from tests.pentathlon.web.scene import Scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(scene: Scene) -> Match:
    analyse(scene.done)
    return scene.done


def match_page(match: Match, query: str = "") -> Page:
    return page_of(Client().get(reverse("match", args=[match.pk]) + query))


def hidden_marks(page: Page) -> list[bool]:
    return ["hidden" in line for line in page.all("li") if "data-mark-words" in line]


def accuracies(page: Page) -> list[bool]:
    return ["hidden" in span for span in page.all("span") if "data-told" in span]


def test_curve_shows_no_more_than_was_seen(match: Match) -> None:
    page = match_page(match, "?ply=2")

    (curtain,) = [rect for rect in page.all("rect") if "data-curtain" in rect]
    assert float(curtain["x"]) == pytest.approx(2000 / match.ply, abs=0.1)
    assert "display" not in curtain
    assert hidden_marks(page) == [False, True]
    assert accuracies(page) == [True, True]
    assert "Ply 2, blunder of Amber: Amber from 50 % to 30 %" in page.text


def test_page_without_a_curve_asks_until_it_is_there(scene: Scene) -> None:
    page = match_page(scene.done, "?ply=2")
    (note,) = [each for each in page.all("p") if "data-chances-at" in each]
    address = note["data-chances-at"] + "?ply=2"

    before = Client().get(address)
    analyse(scene.done)
    after = part_of(Client().get(address))

    assert (before.status_code, before.content) == (204, b"")
    (curtain,) = [rect for rect in after.all("rect") if "data-curtain" in rect]
    assert float(curtain["x"]) == pytest.approx(2000 / scene.done.ply, abs=0.1)
    assert [each for each in after.all("p") if "data-slide-here" in each]


def test_curve_that_cannot_come_is_not_waited_for(scene: Scene) -> None:
    Analysis.objects.create(match=scene.done, state=AnalysisState.FAILED, asked_at=Now())

    page = match_page(scene.done)

    assert not [each for each in page.all("p") if "data-chances-at" in each]
    assert Client().get(reverse("chances", args=[scene.done.pk])).status_code == 404


@pytest.mark.parametrize("query", ["?ply=2&curve=whole", "?ply=9999"])
def test_end_or_wish_shows_all_of_it(match: Match, query: str) -> None:
    page = match_page(match, query)

    (curtain,) = [rect for rect in page.all("rect") if "data-curtain" in rect]
    assert curtain["display"] == "none"
    assert hidden_marks(page) == [False, False]
    assert accuracies(page) == [False, False]


@pytest.mark.parametrize(
    ("accuracy", "words"),
    [
        ({"value": 91.5, "error": 6.0, "decisions": 9, "loss": 0.02}, "accuracy 92 (80 to 100)"),
        ({"value": 97.6, "error": 9.2, "decisions": 5, "loss": 0.0}, "accuracy 98 (80 to 100)"),
        (
            {"value": 60.0, "error": 9.0, "decisions": 5, "loss": 0.1},
            "accuracy: too few decisions",
        ),
        (
            {"value": None, "error": 0.0, "decisions": 3, "loss": 0.0},
            "accuracy: too few decisions",
        ),
    ],
)
def test_accuracy_says_what_is_known_and_no_more(
    scene: Scene, accuracy: dict[str, object], words: str
) -> None:
    analyse(scene.done, accuracies=[accuracy, accuracy])

    text = match_page(scene.done, "?curve=whole").text

    assert text.count(words) == 2


def test_links_jump_to_marks_without_a_script(match: Match) -> None:
    links = {
        a["data-do"]: a.get("href") for a in match_page(match, "?ply=3").all("a") if "data-do" in a
    }

    assert (links["mark-back"], links["mark-forward"]) == ("?ply=2", "?ply=4")


def test_chances_are_told_in_words_and_as_a_table(match: Match) -> None:
    page = match_page(match)

    said = [span for span in page.all("span") if "data-chance-of" in span]
    assert len(said) == 2
    assert "50 % ± 10" in page.text
    rows = [a["data-row"] for a in page.all("a") if a.get("data-row") == str(match.ply)]
    assert rows


def test_replay_without_a_curve_asks_for_it(scene: Scene) -> None:
    page = match_page(scene.faulty)

    assert Analysis.objects.get(pk=scene.faulty.pk).asked_at is not None
    assert "The win-chance curve is being computed and will appear here by itself." in page.text


def test_curve_that_cannot_be_computed_is_told(scene: Scene) -> None:
    Analysis.objects.create(
        match=scene.done, state=AnalysisState.FAILED, error="bad_record", method=1
    )

    assert "cannot be computed (bad_record)" in match_page(scene.done).text


def test_chance_between_two_measured_plies_is_in_between() -> None:
    curve = make_curve(8)
    curve["points"] = [point for point in curve["points"] if point[0] in (0, 8)]

    chart = chance_chart(curve, ply=4, is_whole=False)

    assert [seat.percent for seat in chart.now] == [25, 75]
    assert chart.next_mark is None


@pytest.mark.parametrize(
    ("seat", "kind", "cause", "words"),
    [
        (0, "blunder", "action", "Ply 3, blunder of Violet: Violet from 50 % to 20 %"),
        (
            1,
            "turning_point",
            "action",
            "Ply 3, turning point, by Amber: Amber from 50 % to 80 %",
        ),
        (1, "turning_point", "fault", "Ply 3, turning point, Amber’s bot failed: Amber from"),
        (None, "turning_point", "action", "Ply 3, turning point by chance: Violet from"),
    ],
)
def test_swing_is_told_by_who_or_what_has_caused_it(
    seat: int | None, kind: str, cause: str, words: str
) -> None:
    sides = {"before": [500, 500], "after": [200, 800]}
    mark = {"ply": 3, "seat": seat, "kind": kind, "cause": cause, **sides}

    found = win_chances._mark_of(mark, last=10, is_shown=True)

    assert found.words.startswith(words)
    assert found.x == "30.00"


def test_match_with_points_has_their_line_until_the_curve_is_there() -> None:
    record = make_record(GAMES["azure"], seats=2)
    match = make_match(game="azure", state=MatchState.DONE, ply=len(record["events"]))
    make_replay(match, record)

    page = match_page(match, "?ply=2")

    (root,) = [each for each in page.all("div") if "data-chances" in each]
    (curtain,) = [rect for rect in page.all("rect") if "data-curtain" in rect]
    assert root["data-unit"] == ""
    assert [row[1] for row in json.loads(root["data-facts"])] == [
        list(points) for points in score_line(record) or ()
    ]
    assert "display" not in curtain
    assert "The win-chance curve is being computed and will appear here by itself." in page.text
    assert "too few decisions" not in page.text


def test_line_of_points_ends_with_the_last_ply_and_begins_with_the_first() -> None:
    line = [(0, 0), (2, 0), (2, 4)]

    chart = score_chart(line, ply=1, is_whole=False)

    assert [each.points for each in chart.lines] == [
        "0.0,100.0 500.0,50.0 1000.0,50.0",
        "0.0,100.0 500.0,100.0 1000.0,0.0",
    ]
    assert [(seat.percent, seat.spread) for seat in chart.now] == [(2, 0), (0, 0)]
    assert (chart.here, chart.is_whole) == ("500.0", False)
    assert score_chart(line, ply=2, is_whole=False).is_whole


def test_very_long_line_of_points_stays_light() -> None:
    chart = score_chart([(ply, 0) for ply in range(1601)], ply=0, is_whole=False)

    assert len(json.loads(chart.facts)) < 350
    assert len(chart.rows) < 40
    assert chart.rows[-1].ply == 1600
