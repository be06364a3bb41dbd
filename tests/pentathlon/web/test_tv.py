"""Channel Pentathlon is never empty, says what is live and what is finished, and costs little."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils.timezone import now

from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.channel import programme
from pentathlon.insight.channel.director import Showing
from pentathlon.insight.channel.programme import LEAD_S, WINDOW_S, best_running
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.services import count_all, queue_results
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.latest import tell_match
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import open_live_pool
from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentState
from pentathlon.web.replay import on_air
from pentathlon_engines import GAMES
from pentathlon_engines.record.shape import Record
from tests.engines.record.random_records import make_record
from tests.factories import make_match, make_replay, make_tournament, make_user, make_version
from tests.pentathlon.web.pages import Page, page_of, part_of

pytestmark = pytest.mark.django_db

AT = 2_000_000 * WINDOW_S
"""The beginning of a window."""


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let time stand still, and tests move it."""
    times = [time.time() // WINDOW_S * WINDOW_S + 1.0]
    monkeypatch.setattr("pentathlon.web.replay.on_air.time.time", lambda: times[0])
    return times


def running(*scores: float, game: str = "tuned", lane: int = 0, for_s: float = 600) -> int:
    pool = open_live_pool(game=game)
    versions = [make_version(games=(game,)) for _ in scores]
    for version, score in zip(versions, scores, strict=True):
        Rating.objects.create(pool=pool, version=version, mu=score + 3, sigma=1)
    begun = now() - timedelta(seconds=for_s)
    match = make_match(versions, game=game, state=MatchState.RUNNING, lane=lane, started_at=begun)
    return match.pk


def finished(game: str = "tuned", *, seed: int = 7, hours_ago: float = 1, **fields: Any) -> Match:
    seats = GAMES[game].info.seats[0]
    record = make_record(GAMES[game], seats=seats, seed=seed)
    ended = now() - timedelta(hours=hours_ago)
    match = make_match(
        [make_version(games=(game,)) for _ in range(seats)],
        game=game,
        state=MatchState.DONE,
        ply=len(record["events"]),
        finished_at=ended,
        **fields,
    )
    make_replay(match, record)
    return match


def tv_page(query: str = "") -> Page:
    return page_of(Client().get(f"/tv/{query}"))


def on(page: Page) -> dict[str, str]:
    (section,) = [each for each in page.all("section") if "data-live-next" in each]
    return section


def test_finished_match_is_shown_and_called_finished() -> None:
    match = finished("azure")

    page = tv_page()

    section = on(page)
    assert section["data-tv"] == f"/tv/reel/{match.pk}/"
    assert json.loads(section["data-frames"])[0] == [0, 0.0]
    assert "finished" in page.text
    assert [each for each in page.all("span") if each.get("class") == "live"] == []
    assert [each for each in page.all("svg") if "curve" in each.get("class", "")]
    assert "Up next" in page.text


def test_result_is_told_only_when_the_last_ply_has_stood(clock: list[float]) -> None:
    match = finished()
    said = tell_match(Match.objects.with_seats().get(pk=match.pk))
    early = tv_page()

    clock[0] += float(on(early)["data-result-at"])
    late = tv_page()

    results = [
        [each for each in page.all("div") if "data-result" in each] for page in (early, late)
    ]
    assert ["hidden" in result for (result,) in results] == [True, False]
    assert said in late.text


def test_no_site_is_too_young_for_a_programme(clock: list[float]) -> None:
    page = tv_page("?game=tuned")

    assert on(page)["data-tv"] == "/tv/reel/tuned/"
    assert "exhibition" in page.text
    clock[0] += float(on(page)["data-length"])
    match = finished()
    Match.objects.update(finished_at=datetime.fromtimestamp(clock[0] - 1, tz=UTC))
    assert on(tv_page("?game=tuned"))["data-tv"] == f"/tv/reel/{match.pk}/"


def test_channel_of_a_game_shows_that_game() -> None:
    finished("tuned")
    azure = finished("azure")

    assert on(tv_page("?game=azure"))["data-tv"] == f"/tv/reel/{azure.pk}/"


def test_hidden_and_private_matches_are_never_on() -> None:
    finished(lane=88)
    HiddenLane.objects.create(lane=88, organiser=make_user())
    finished(kind=MatchKind.VALIDATION)
    finished(is_revoked=True)

    assert on(tv_page("?game=tuned"))["data-tv"] == "/tv/reel/tuned/"


@pytest.mark.django_db(transaction=True)
def test_two_hundred_listeners_cost_one_composition(monkeypatch: pytest.MonkeyPatch) -> None:
    finished("azure")
    chosen: list[str] = []
    choose = programme._choose

    def note_choice(game: str, *facts: float, **ways: Any) -> list[Showing]:  # Any: passed on
        chosen.append(game)
        return choose(game, *facts, **ways)

    monkeypatch.setattr(programme, "_choose", note_choice)
    drawn: list[int] = []
    position = on_air.position_at

    def note_drawing(record: Record, ply: int) -> dict[str, Any]:  # Any: fields of a ply
        drawn.append(ply)
        return position(record, ply)

    monkeypatch.setattr(on_air, "position_at", note_drawing)

    together = threading.Barrier(20)

    def watch(_: int) -> str:
        together.wait()
        try:
            return Client().get("/tv/").content.decode().partition("<main")[2]
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as listeners:
        pages = set(listeners.map(watch, range(200)))

    assert (chosen, len(drawn), len(pages)) == ([""], 1, 1)


def test_programme_is_the_same_for_processes_that_share_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seed in range(6):
        finished("tuned", seed=seed)
    at = time.time()
    first = programme.programme("", now=at)

    monkeypatch.setattr(programme, "_windows", {})
    cache.clear()

    assert programme.programme("", now=at) == first


def test_what_comes_is_known_before_the_window_begins() -> None:
    match = finished(hours_ago=3)
    at = time.time() // WINDOW_S * WINDOW_S

    slots = programme.programme("tuned", now=at + WINDOW_S - LEAD_S + 1)

    assert slots[-1].ends > at + 2 * WINDOW_S - 1
    assert {slot.source for slot in slots} == {str(match.pk)}


@pytest.fixture
def later(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let somebody watch, and time go on until the reconciler composes the next window."""
    tv_page()
    clock[0] += WINDOW_S - LEAD_S - 30
    monkeypatch.setattr("pentathlon.insight.channel.programme.time.time", lambda: clock[0])


def test_page_reads_no_replay_to_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    finished()
    reads: list[object] = []
    monkeypatch.setattr(programme, "read_record", reads.append)

    programme.programme("", now=time.time())

    assert reads == []


def test_reconciler_chooses_the_next_window_once_and_pages_show_it(
    clock: list[float], request: pytest.FixtureRequest
) -> None:
    match = finished("azure")
    assert programme.compose_ahead() == 0
    request.getfixturevalue("later")

    composed = [programme.compose_ahead() for _ in range(2)]

    assert composed == [1, 0]
    slots = programme.programme("", now=clock[0] + 60)
    window = (clock[0] // WINDOW_S + 1) * WINDOW_S
    stored = cache.get(programme._key("", int(window // WINDOW_S)))
    assert [slot for slot in slots if slot.starts >= window] == stored
    assert {slot.source for slot in stored} == {str(match.pk)}


def test_curves_of_what_comes_and_of_finals_and_upsets_are_computed_first(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    final, upset, usual = (finished(seed=seed) for seed in (7, 8, 9))
    cup = make_tournament(state=TournamentState.CLOSED)
    Tournament.objects.update(format="knockout")
    for number, match in ((1, usual), (2, final)):
        TournamentMatch.objects.create(
            tournament=cup, match=match, round=number, block=number, index=number
        )
    queue_results([upset.pk])
    count_all()
    Meeting.objects.update(surprise=120_000)
    request.getfixturevalue("later")
    monkeypatch.setattr(programme, "_READ", 1)

    programme.compose_ahead()

    asked = Analysis.objects.filter(asked_at__isnull=False).values_list("pk", flat=True)
    comes = cache.get(programme._key("", int(time.time() // WINDOW_S) + 1))
    assert set(asked) == {final.pk, upset.pk} | {int(slot.source) for slot in comes}


def test_reel_has_the_positions_asked_for() -> None:
    match = finished("tuned")

    answer = Client().get(f"/tv/reel/{match.pk}/?plies=0-2-99999")

    frames = answer.json()
    assert [frame["ply"] for frame in frames] == [0, 2, 99999]
    assert all(frame["board"].startswith("<svg") and frame["said"] for frame in frames)
    assert "immutable" in answer["Cache-Control"]
    assert Client().get("/tv/reel/tuned/?plies=0").status_code == 200


@pytest.mark.parametrize("query", ["", "?plies=", "?plies=a", "?plies=1--2", "?plies=-1"])
def test_reel_without_plies_is_not_there(query: str) -> None:
    assert Client().get(f"/tv/reel/{finished().pk}/{query}").status_code == 404


@pytest.mark.parametrize("source", ["odd", "0", "9" * 30])
def test_reel_of_nothing_is_not_there(source: str) -> None:
    assert Client().get(f"/tv/reel/{source}/?plies=0").status_code == 404


def test_reel_of_a_hidden_match_is_not_there() -> None:
    match = finished(lane=88)
    HiddenLane.objects.create(lane=88, organiser=make_user())

    assert Client().get(f"/tv/reel/{match.pk}/?plies=0").status_code == 404


def test_best_running_match_is_the_one_of_the_best_bots() -> None:
    running(30, 2)
    best = running(20, 21)
    running(1, 1)
    azure = running(3, 4, game="azure")

    shown, of_azure = best_running(""), best_running("azure")

    assert shown is not None
    assert of_azure is not None
    assert (shown.pk, of_azure.pk) == (best, azure)


def test_live_match_that_is_worth_more_is_shown_and_called_live() -> None:
    finished(hours_ago=30)
    live = running(30, 31)

    page = tv_page()

    assert [a["data-live-viewer"] for a in page.all("div") if "data-live-viewer" in a] == [
        f"/live/matches/{live}/"
    ]
    assert on(page)["data-renew"] == f"/tv/?game=&after={live}"
    assert "live" in page.text
    assert [each for each in page.all("svg") if "board" in each.get("class", "")]


def test_match_that_has_just_begun_waits_for_the_next_slot() -> None:
    match = finished()
    running(40, 40, for_s=0)

    assert on(tv_page())["data-tv"] == f"/tv/reel/{match.pk}/"


def test_live_match_that_has_ended_tells_its_result() -> None:
    finished(hours_ago=30)
    ended = finished(hours_ago=0)

    part = part_of(Client(headers={"X-Part": "true"}).get(f"/tv/?game=&after={ended.pk}"))

    assert tell_match(Match.objects.with_seats().get(pk=ended.pk)) in part.text
    assert on(part)["data-every"] == "8"
    assert "after" not in on(part)["data-renew"]


def test_only_what_everybody_may_watch_is_live() -> None:
    running(30, 30, lane=88)
    HiddenLane.objects.create(lane=88, organiser=make_user())
    version = make_version()
    make_match([version] * 2, kind=MatchKind.VALIDATION, state=MatchState.RUNNING)

    assert best_running("") is None
