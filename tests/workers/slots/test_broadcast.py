"""What a worker shows to spectators, and that a broker in trouble does no harm to a match."""

import json
import queue
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest
from redis import Redis

from pentathlon.friendlies.jobs import FriendlyStretch
from pentathlon.live.frames import (
    LOOK,
    Frame,
    frame_key,
    friendly_channel,
    lane_channel,
    match_channel,
    unpack,
)
from pentathlon.live.reports import WatchedMatch, WatchedMatches
from pentathlon.matches.jobs import Job, SeatJob
from pentathlon_engines import GAMES
from pentathlon_engines.errors import EngineError
from pentathlon_engines.manifest import Manifest
from pentathlon_engines.match.events import Event, apply_event
from pentathlon_engines.match.friendly import Course
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from tests.patience import PATIENCE_S
from workers import direct
from workers.direct import DirectPlatform
from workers.port import Play
from workers.slots import broadcast
from workers.slots.broadcast import Broadcast, Shot


@pytest.fixture
def hanging() -> Iterator[str]:
    """Give the address of a broker that takes everything and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcast, "FIRST_S", 0.0)
    monkeypatch.setattr(broadcast, "WATCHED_S", 0.0)
    monkeypatch.setattr(direct, "IDLE_S", 0.0)
    monkeypatch.setattr(direct, "WATCHED_S", 0.0)


def job_of(game: str = "azure", *, match_id: int = 5, is_public: bool = True) -> Job:
    manifest = Manifest(
        name="bot", games=(game,), language="python", main="main.py", command=(), build=()
    )
    seat = SeatJob(
        seat=0, version_id=1, name="bot v1", content_hash="", files_hash="", manifest=manifest
    )
    return Job(
        match_id=match_id,
        told_name="a-name-that-only-bots-know",
        token=uuid4(),
        attempt=2,
        game=game,
        rules_version=1,
        options={},
        seed=987654321,
        limits={},
        seats=(seat, replace(seat, seat=1)),
        lane=7,
        is_public=is_public,
    )


def stretch_of(friendly_id: int) -> FriendlyStretch:
    course = Course(game=GAMES["tuned"], options={}, seats=2, seed=1, person=0)
    return FriendlyStretch(id=friendly_id, token=uuid4(), told_name="", course=course, seats=())


def casting_to(url: str, *, answer_s: float = PATIENCE_S) -> Broadcast:
    return Broadcast(DirectPlatform(broker=url, answer_s=answer_s))


def begun(game: str, *, plies: int) -> Referee:
    referee = Referee(game=GAMES[game], seats=2, options=None, seed=987654321)
    luck = Random(1)
    while referee.seat_to_ask() is not None and referee.ply < plies:
        action = referee.state.random_action(luck)
        referee.accept(referee.state.text(action), cpu_ms=3, wall_ms=4)
    return referee


def watched_match(game: str) -> WatchedMatch:
    return WatchedMatch(game=game, seats=2, options={}, limits=Limits.from_json({}), attempt=1)


def followed(game: str, *, plies: int) -> WatchedMatch:
    watched = watched_match(game)
    watched.follow(begun(game, plies=plies).events)
    return watched


def seen_by_spectators(game: str, events: list[Event]) -> list[list[object]]:
    state, seen = GAMES[game].start(2, {}), []
    for event in events:
        seen.append([event.seat, state.event_for(None, event.text)])
        apply_event(state, event)
    return seen


def kept(client: Redis, job: Job) -> bytes:
    deadline = time.monotonic() + PATIENCE_S
    while not (data := client.get(frame_key(job.match_id, job.attempt))):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert isinstance(data, bytes)
    return data


def shown(url: str, referee: Referee, job: Job) -> bytes:
    see = casting_to(url).watch(job)
    assert see is not None
    see(referee)
    with Redis.from_url(url) as client:
        return kept(client, job)


def test_frame_has_the_position_the_events_and_the_clocks(broker: str) -> None:
    referee = begun("azure", plies=9)

    frame = unpack(shown(broker, referee, job_of()))

    assert (frame.attempt, frame.ply, frame.to_move) == (2, referee.ply, referee.state.to_move)
    assert frame.position == json.loads(json.dumps(referee.state.observation(None)))
    assert frame.svg == referee.state.svg(ply=referee.ply)
    assert [row[:2] for row in frame.events] == seen_by_spectators("azure", referee.events)
    assert sum(frame.cpu_ms) == 3 * sum(not event.is_chance for event in referee.events)


@pytest.mark.parametrize("game", [key for key, game in GAMES.items() if game.info.hidden])
def test_frame_is_the_same_whatever_a_seat_hides(game: str) -> None:
    watched = followed(game, plies=9)
    one = watched.frame()
    # For seat 0 this is the same position: only the other seat's hand and the decks have changed.
    watched.state = watched.state.determinize(0, Random(5))

    assert watched.frame() == one
    assert watched.state.observation(None) == one.position


def test_frame_tells_neither_seed_nor_what_bots_are_told(broker: str) -> None:
    frame = unpack(shown(broker, begun("azure", plies=5), job_of(match_id=13)))

    said = json.dumps([getattr(frame, name) for name in Frame.__dataclass_fields__])
    assert "987654321" not in said
    assert "a-name-that-only-bots-know" not in said


def test_events_are_told_in_words_and_go_on_from_frame_to_frame(broker: str) -> None:
    casting, job = casting_to(broker), job_of(match_id=14)
    frames = []
    for plies in (4, 9):
        see = casting.watch(job)
        assert see is not None
        see(begun("azure", plies=plies))
        with Redis.from_url(broker) as client:
            frames.append(unpack(kept(client, job)))
            client.flushall()

    early, late = (frame.said for frame in frames)
    assert early == late[: len(early)]
    assert [len(frame.said) for frame in frames] == [frame.ply for frame in frames]
    assert any(said.startswith(("Violet puts", "Amber puts")) for said in late)


def test_events_are_told_as_spectators_may_see_them() -> None:
    frame = followed("maatatahay", plies=6).frame()
    happened = begun("maatatahay", plies=6).events

    assert [row[:2] for row in frame.events] == seen_by_spectators("maatatahay", happened)
    assert [row[1] for row in frame.events] != [event.text for event in happened]


def test_match_goes_on_where_it_was_and_begins_anew_for_other_events() -> None:
    kept, begins = WatchedMatches(most=2), []

    def begin() -> WatchedMatch:
        begins.append(1)
        return watched_match("azure")

    events = begun("azure", plies=9).events
    other = [event._replace(cpu_ms=99) for event in events]

    for part in (events[:4], events, other):
        assert kept.frame(1, part, begin=begin).ply == len(part)

    assert len(begins) == 2


def test_only_the_latest_matches_are_kept() -> None:
    kept, begins = WatchedMatches(most=2), []

    def begin() -> WatchedMatch:
        begins.append(1)
        return watched_match("tuned")

    for key in (1, 2, 3, 3, 2, 1):
        kept.frame(key, [], begin=begin)

    assert len(begins) == 4


def test_event_that_cannot_happen_is_refused_and_forgotten() -> None:
    kept = WatchedMatches(most=2)
    events = begun("azure", plies=9).events

    with pytest.raises(EngineError):
        kept.frame(1, [*events, events[-1]], begin=lambda: watched_match("azure"))

    assert kept.frame(1, events, begin=lambda: watched_match("azure")).ply == len(events)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("text", ["", "x", "setup", "equilibrium", "draw 1 2 3", "place e3 4"])
def test_event_of_a_hostile_worker_is_refused_wherever_it_stands(game: str, text: str) -> None:
    events = begun(game, plies=9).events

    for ply, seat in product(range(len(events)), (-1, 0, 1)):
        if events[ply][:2] != (seat, text):
            with pytest.raises(EngineError):
                watched_match(game).follow([*events[:ply], Event(seat, text, 1, 1)])


def test_event_counts_for_who_is_to_move_only() -> None:
    (*before, last) = begun("tuned", plies=4).events

    with pytest.raises(EngineError, match="to move is"):
        watched_match("tuned").follow([*before, last._replace(seat=1 - last.seat)])


def test_match_that_may_become_hidden_is_not_shown_nor_is_its_end(broker: str) -> None:
    hidden = job_of(match_id=21, is_public=False)
    with Redis.from_url(broker) as client, client.pubsub() as heard:
        heard.subscribe(match_channel(21), match_channel(22))
        casting = casting_to(broker)
        casting.note_change([hidden, job_of(match_id=22)])
        messages: list[bytes] = []
        while len(messages) < 1:
            message = heard.get_message(ignore_subscribe_messages=True, timeout=1)
            messages += [message["channel"]] if message else []

        assert casting.watch(hidden) is None
        assert messages == [match_channel(22).encode()]
        assert client.get(frame_key(21, 2)) is None


def test_end_is_told_to_who_follows_the_match_and_its_tournament(broker: str) -> None:
    with Redis.from_url(broker) as client, client.pubsub() as heard:
        heard.subscribe(match_channel(31), lane_channel(7))
        casting_to(broker).note_change([job_of(match_id=31)])
        got: dict[str, bytes] = {}
        while len(got) < 2:
            message = heard.get_message(ignore_subscribe_messages=True, timeout=1)
            got |= {message["channel"].decode(): message["data"]} if message else {}

    assert got == {match_channel(31): LOOK, lane_channel(7): LOOK}


def test_person_is_told_that_a_bot_has_moved(broker: str) -> None:
    with Redis.from_url(broker) as client, client.pubsub() as heard:
        heard.subscribe(friendly_channel(41))
        casting_to(broker).note_change([stretch_of(41)])
        message = None
        while message is None:
            message = heard.get_message(ignore_subscribe_messages=True, timeout=1)

    assert message["data"] == LOOK


def test_without_a_broker_nothing_is_watched() -> None:
    casting = Broadcast(None)

    casting.note_change([job_of()])

    assert casting.watch(job_of()) is None


def test_broker_that_hangs_holds_up_no_match_and_keeps_nothing(hanging: str) -> None:
    casting = casting_to(hanging, answer_s=600)
    see = casting.watch(job_of("tuned"))
    assert see is not None

    # If these calls waited, each would take ten minutes.
    for plies in range(1, 8):
        see(begun("tuned", plies=plies))
        casting.note_change([job_of()] * 20)

    waiting = [thread for thread in threading.enumerate() if thread.name == "broadcast"]
    assert waiting
    assert casting._posts.qsize() <= broadcast._MOST_WAITING


def test_broker_that_is_away_is_left_alone_and_found_again(
    broker: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(broadcast, "AWAY_S", 0.05)
    socket_path = Path(broker.partition("://")[2].partition("?")[0])
    elsewhere = tmp_path / "moved"
    elsewhere.symlink_to(tmp_path / "nothing")
    casting = casting_to(f"unix://{elsewhere}?db=0")
    job = job_of("tuned", match_id=41)
    see = casting.watch(job)
    assert see is not None
    see(begun("tuned", plies=2))
    while not casting._away_until:
        time.sleep(0.01)

    elsewhere.unlink()
    elsewhere.symlink_to(socket_path)
    with Redis.from_url(broker) as client:
        deadline = time.monotonic() + PATIENCE_S
        while not client.get(frame_key(41, 2)):
            assert time.monotonic() < deadline
            see(begun("tuned", plies=3))
            time.sleep(0.01)


class Broken(DirectPlatform):
    """A platform with a bug; it counts how often it is told something."""

    def __init__(self) -> None:
        super().__init__(broker="redis://")
        self.told: queue.Queue[int] = queue.Queue()

    def note_changes(self, jobs: Sequence[Play]) -> None:
        for job in jobs:
            self.told.put(job.id)
        raise RuntimeError("a bug")


def test_bug_in_showing_a_match_ends_no_broadcast() -> None:
    audience = Broken()
    casting = Broadcast(audience)

    casting.note_change([stretch_of(1)])
    assert audience.told.get(timeout=PATIENCE_S) == 1
    casting.note_change([stretch_of(2)])

    assert audience.told.get(timeout=PATIENCE_S) == 2


def test_position_that_is_not_new_is_not_shown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(broadcast, "FIRST_S", 0.5)
    shots: list[int] = []

    def note(shot: Shot) -> bool:
        shots.append(len(shot.events))
        return True

    casting = Broadcast(Broken())
    monkeypatch.setattr(casting, "shows", note)
    see = casting.watch(job_of("tuned"))
    assert see is not None
    referee = begun("tuned", plies=2)

    see(referee)
    assert shots == [], "it may be over sooner than anybody could look"
    now[0] += 60.0
    see(referee)
    now[0] += 60.0
    see(referee)

    assert shots == [len(referee.events)]
