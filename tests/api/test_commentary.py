"""Commentary tells what the replay page tells, and to a seat no more than that seat saw."""

import html
import re

import pytest
from rest_framework.test import APIClient

from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.record.record import positions
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.friendlies.acting import begun, play_to_end
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit

pytestmark = pytest.mark.django_db
HIDDEN = next(key for key, game in GAMES.items() if game.info.hidden)


def _played(game: str = "tuned", *, luck: int = 1) -> Match:
    versions = [make_version(games=(game,)) for _ in range(GAMES[game].info.default_seats)]
    job = claimed(make_match(versions, game=game))
    return submit(job, record_of(job, luck=luck))


def _address(match: Match) -> str:
    return f"{V1}/replays/{match.pk}/commentary/"


def _plain(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def test_windows_make_up_the_match_with_the_words_of_the_page(anonymous: APIClient) -> None:
    match = _played()
    told, first = [], 1
    while first:
        window = anonymous.get(f"{_address(match)}?first={first}&count=5").json()
        assert len(window["events"]) <= 5
        told += window["events"]
        first = window["next"]
    page = _plain(anonymous.get(f"/matches/{match.pk}/actions/").content.decode())

    assert [each["ply"] for each in told] == list(range(1, match.ply + 1))
    assert all(each["said"] in page for each in told)
    assert window["ending"]
    assert window["plies"] == match.ply


def test_one_window_has_the_ending_only_at_the_end(anonymous: APIClient) -> None:
    match = _played()

    beginning = anonymous.get(f"{_address(match)}?count=1").json()
    whole = anonymous.get(f"{_address(match)}?count=200").json()

    assert (beginning["ending"], beginning["next"]) == ("", 2)
    assert whole["ending"]


def test_seat_is_told_what_it_saw(anonymous: APIClient) -> None:
    match = _played(HIDDEN)
    record = anonymous.get(f"{V1}/replays/{match.pk}/").json()
    states = list(positions(record))
    seen = [states[ply].event_for(0, text) for ply, (_, text, *_) in enumerate(record["events"])]
    assert seen != [row[1] for row in record["events"]], "nothing was hidden in this match"

    told = anonymous.get(f"{_address(match)}?seat=0&count=200").json()["events"]
    page = anonymous.get(f"/matches/{match.pk}/actions/?seat=0").content.decode()

    assert [each["text"] for each in told] == seen[: len(told)]
    hidden = {
        row[1] for row, text in zip(record["events"], seen, strict=True)
        if row[0] != CHANCE and text != row[1]
    } - set(seen)  # fmt: skip
    assert not any(f"<code>{text}</code>" in page for text in hidden)


def test_faults_stand_in_the_window_where_they_happened(anonymous: APIClient) -> None:
    job = claimed(make_match())
    match = submit(job, record_of(job, fault_at=3))

    told = anonymous.get(_address(match)).json()

    assert [(each["ply"], each["seat"]) for each in told["faults"]] == [
        (fault["ply"], fault["seat"])
        for fault in anonymous.get(f"{V1}/replays/{match.pk}/").json()["faults"]
    ]
    assert told["faults"]


def test_hidden_match_is_told_to_its_organiser_alone(anonymous: APIClient) -> None:
    match, organiser = _played(), make_user(organiser=True)
    Match.objects.filter(pk=match.pk).update(lane=77)
    HiddenLane.objects.create(lane=77, organiser=organiser)

    own = client_of(organiser).get(_address(match))

    assert anonymous.get(_address(match)).status_code == 404
    assert client_of(make_user()).get(_address(match)).status_code == 404
    assert own.status_code == 200
    assert own.headers["Cache-Control"].startswith("private")


@pytest.mark.parametrize(
    ("query", "status", "code", "field"),
    [
        ("first=9999", 404, "not_found", "first"),
        ("seat=5", 404, "not_found", "seat"),
        ("count=201", 400, "max_value", "count"),
        ("first=x", 400, "invalid", "first"),
    ],
)
def test_odd_windows_are_refused(
    query: str, status: int, code: str, field: str, anonymous: APIClient
) -> None:
    refused = anonymous.get(f"{_address(_played())}?{query}")

    assert_problem(refused, status=status, code=code, attr=field)


def test_friendly_is_told_when_it_is_over(anonymous: APIClient) -> None:
    person = make_user()
    going, ended = begun(person=person), play_to_end(begun(person=person))

    refused = client_of(person).get(f"{V1}/friendlies/{going.pk}/commentary/")
    told = anonymous.get(f"{V1}/friendlies/{ended.pk}/commentary/")

    assert_problem(refused, status=409, code="not_over")
    assert told.json()["ending"]
