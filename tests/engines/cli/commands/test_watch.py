"""`pentathlon watch` follows a match through restarts, and a bot from match to match."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pentathlon_engines.cli.client.http_site import ServerEvent
from pentathlon_engines.cli.commands import watch
from pentathlon_engines.cli.failure import HOST_OR_SERVER
from tests.engines.cli.client.fake_sites import FakeSite, Replies, as_site, away, refused
from tests.engines.commands import Run
from tests.engines.record.random_records import tuned_record

SEATS = [{"seat": seat, "rank": seat, "version": {"label": f"b{seat} v1"}} for seat in (0, 1)]
DONE = {"id": 7, "game": "tuned", "state": "done", "outcome_reason": "line", "seats": SEATS}
RUNNING = {**DONE, "state": "running", "ply": 3, "waiting": None}
WAITING = {**DONE, "state": "pending", "waiting": {"sentence": "Comes next."}}

Watch = Callable[..., Any]


@pytest.fixture
def watching(run: Run, monkeypatch: pytest.MonkeyPatch) -> Watch:
    """Return a function that runs the command at a site; pauses take no time."""
    monkeypatch.setattr("time.sleep", lambda _: None)

    def watch_at(site: FakeSite, *arguments: str) -> Any:
        monkeypatch.setattr(watch, "connect", lambda address: as_site(site))
        return run("watch", *arguments)

    return watch_at


def plies(first: int, *texts: str, attempt: int = 1) -> ServerEvent:
    events = [[number % 2, text, 5] for number, text in enumerate(texts)]
    data = {"first": first, "attempt": attempt, "ply": first + len(texts), "events": events}
    return ServerEvent("plies", data, f"{attempt}-{first}")


def stream(*events: ServerEvent | Exception) -> Callable[[], Iterator[ServerEvent]]:
    def follow() -> Iterator[ServerEvent]:
        for event in events:
            if isinstance(event, Exception):
                raise event
            yield event

    return follow


def test_match_is_followed_through_an_outage_to_its_end(watching: Watch) -> None:
    objects = {"matches/7/": Replies(WAITING, RUNNING, away(), DONE), "replays/7/": tuned_record()}
    site = FakeSite(objects)
    site.streams = [stream(), stream(plies(0, "add dog b2", "add cat c3"), away())]

    ended = watching(site, "7")

    assert ended.code == 0
    said = ended.err.splitlines()
    assert said[:4] == [
        "tuned: b0 v1 – b1 v1, pending: Comes next.",
        "tuned: b0 v1 – b1 v1, running, ply 3",
        "ply 1, seat 0: add dog b2",
        "ply 2, seat 1: add cat c3",
    ]
    assert ended.out.endswith("tuned: 1. b0 v1, 2. b1 v1 (line)\n")


def test_stream_goes_on_behind_what_was_seen(watching: Watch) -> None:
    site = FakeSite({"matches/7/": Replies(RUNNING, RUNNING, DONE), "replays/7/": tuned_record()})
    site.streams = [stream(plies(4, "add dog b2")), stream()]

    watching(site, "7")

    asked = [query["seen"] for method, _, query in site.asked if method == "EVENTS"]
    assert asked == ["", "1-4"]


def test_attempt_that_begins_anew_is_told(watching: Watch) -> None:
    site = FakeSite({"matches/7/": Replies(RUNNING, DONE), "replays/7/": tuned_record()})
    site.streams = [stream(plies(0, "add dog b2", attempt=2))]

    assert "Attempt 2: the match starts again." in watching(site, "7").err


def test_site_without_a_stream_is_asked_instead(watching: Watch) -> None:
    site = FakeSite({"matches/7/": Replies(RUNNING, DONE), "replays/7/": tuned_record()})
    site.streams = [stream(refused("not_found", status=404))]

    assert watching(site, "7").code == 0


def test_script_gets_one_document_for_each_event(watching: Watch) -> None:
    site = FakeSite({"matches/7/": Replies(RUNNING, DONE)})
    site.streams = [stream(plies(0, "add dog b2"), ServerEvent("end", {"ply": 1}))]

    lines = watching(site, "7", "--json").out.splitlines()

    told = [json.loads(line) for line in lines]
    assert [each["event"] for each in told] == ["plies", "end", "result"]
    assert told[-1]["id"] == 7
    assert site.asked[1][2]["view"] == "position"


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (refused("sealed", status=409), "refused: sealed"),
        ({"game": "chess"}, "The record cannot be shown here"),
    ],
    ids=["sealed", "damaged"],
)
def test_record_that_cannot_be_shown_leaves_the_result(
    record: Any, said: str, watching: Watch
) -> None:
    ended = watching(FakeSite({"matches/7/": DONE, "replays/7/": record}), "7")

    assert said in ended.err
    assert "1. b0 v1, 2. b1 v1" in ended.out
    assert ended.code == 0


def test_site_that_was_never_there_is_not_waited_for(watching: Watch) -> None:
    assert watching(FakeSite({"matches/7/": away()}), "7").code == HOST_OR_SERVER


def test_time_limit_ends_a_long_stream(watching: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def endless() -> Iterator[ServerEvent]:
        while True:
            now[0] += 3.0
            assert now[0] < 200.0, "it never ends"
            yield plies(0, "add dog b2")

    site = FakeSite({"matches/7/": RUNNING})
    site.streams = [endless]

    ended = watching(site, "7", "--timeout", "10")

    assert ended.code == HOST_OR_SERVER
    assert "The time is up." in ended.err


def test_bot_is_followed_from_its_last_match_on(watching: Watch) -> None:
    first, second, third = ({**DONE, "id": number} for number in (7, 8, 9))
    done = Replies([first], away(), [second, first], [third, second, first])

    def matches(query: Any) -> list[Any]:
        found = done.next() if query["state"] == "done" else []
        if isinstance(found, Exception):
            raise found
        return list(found)

    site = FakeSite(lists={"bots/": [{"id": 3, "name": "tiger"}], "matches/": matches})

    ended = watching(site, "tiger", "--count", "3")

    assert [line.partition(" ")[0] for line in ended.out.splitlines()] == ["7", "8", "9"]
    assert ended.code == 0
