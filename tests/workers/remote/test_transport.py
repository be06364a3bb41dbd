"""How a worker without a broker asks its site for hints, on Celery's event loop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection
from structlog.testing import capture_logs

from pentathlon.fleet.announcements import MOVE_BOTS, PLAY_MATCHES
from pentathlon.fleet.hints import messages
from pentathlon.fleet.queues import FRIENDLIES, LADDERS, MATCHES, QUEUES
from workers.hint_transport import HintQueues
from workers.remote import transport as module
from workers.remote.adapter import RemotePlatform
from workers.remote.transport import LOOK_S, WAIT_S, SiteTransport

_PLAY = messages([(PLAY_MATCHES, [1, 2], {})])
Answer = tuple[int, Any] | Exception  # Any: JSON


class Response:
    def __init__(self, status: int, told: Any) -> None:  # Any: JSON
        self.status = status
        self.will_close = False
        self._body = json.dumps(told).encode()

    def read(self) -> bytes:
        return self._body


class Site:
    """A connection to a site that gives these answers, and its event loop, and its clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answers: list[Answer] = []
        self.asked: list[dict[str, Any]] = []  # Any: JSON
        self.opened = 0
        self.is_idle_too_long = False
        self.now = 1000.0
        self.on_tick: set[Any] = set()
        self.sock = object()
        self._read: Any = None
        monkeypatch.setattr(module, "_connect", self._connect)
        monkeypatch.setattr("time.monotonic", lambda: self.now)
        monkeypatch.setattr("random.uniform", lambda low, high: 1.0)

    def _connect(self, address: str) -> Site:
        self.opened += 1
        self.is_idle_too_long = False
        return self

    def request(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        if self.is_idle_too_long:
            raise BrokenPipeError
        assert headers["Authorization"] == "Bearer ptw_1"
        self.asked.append(json.loads(body))

    def getresponse(self) -> Response:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return Response(*answer)

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def add_reader(self, sock: object, read: Any) -> None:
        self._read = read

    def remove_reader(self, sock: object) -> None:
        self._read = None

    def turn(self, *answers: Answer) -> None:
        """Turn the loop once for each answer, and once without one if there is none."""
        self.answers += answers
        for _ in answers or [None]:
            for tick in self.on_tick:
                tick()
            if answers and self._read is not None:
                self._read()


class Worker:
    """A worker with two slots, of which so many are idle."""

    def __init__(self, folder: Path, site: Site, *, is_held: bool = False) -> None:
        self.idle = 2
        self.is_held = is_held
        self.got: list[list[Any]] = []  # Any: JSON
        self.platform = RemotePlatform(server="https://site", token="ptw_1", unsent=folder)
        options = {
            "platform": self.platform,
            "idle_slots": lambda: self.idle,
            "broker": "redis://127.0.0.1:1/0",
            "queue_order_strategy": partial(HintQueues, is_held=lambda: self.is_held),
        }
        self.connection = Connection(transport=SiteTransport, transport_options=options)
        channel: Any = self.connection.default_channel  # Any: virtual
        for queue in (MATCHES, LADDERS, FRIENDLIES):
            channel.basic_consume(queue, True, self._take, queue)
        self.connection.transport.register_with_event_loop(self.connection, site)

    def _take(self, message: Any) -> None:  # Any: kombu's own
        args, *_ = message.decode()
        self.got.append([message.headers["task"], *args])


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Site:
    return Site(monkeypatch)


@pytest.fixture
def worker(site: Site, tmp_path: Path) -> Iterator[Worker]:
    worker = Worker(tmp_path, site)
    yield worker
    worker.connection.close()


def test_request_is_for_as_many_hints_as_slots_are_idle(site: Site, worker: Worker) -> None:
    moves = messages([(MOVE_BOTS, [3], {})])

    site.turn((200, {"messages": [*moves, *_PLAY]}))
    worker.idle = 1
    site.turn()

    assert worker.got == [[MOVE_BOTS, [3]], [PLAY_MATCHES, [1, 2]]]
    assert [each["most"] for each in site.asked] == [2, 1]
    assert [each["wait_s"] for each in site.asked] == [0.0, WAIT_S]
    assert all(sorted(each["queues"]) == sorted(QUEUES) for each in site.asked)
    assert site.asked[0]["queues"][-1] == LADDERS


def test_busy_worker_asks_for_nothing(site: Site, worker: Worker) -> None:
    worker.idle = 0

    site.turn()

    assert not site.asked


def test_request_that_waits_is_the_only_one(site: Site, worker: Worker) -> None:
    site.turn()
    site.turn()

    assert len(site.asked) == 1


def test_held_worker_asks_for_no_matches(site: Site, tmp_path: Path) -> None:
    Worker(tmp_path, site, is_held=True)

    site.turn()

    assert [each["queues"] for each in site.asked] == [[FRIENDLIES]]


def test_worker_that_is_no_longer_held_asks_anew_at_once(site: Site, tmp_path: Path) -> None:
    worker = Worker(tmp_path, site, is_held=True)
    site.turn()

    worker.is_held = False
    site.turn()
    site.turn()

    assert [len(each["queues"]) for each in site.asked] == [1, 3]
    assert site.asked[1]["wait_s"] == 0


def test_worker_that_is_held_meanwhile_lets_its_request_wait(site: Site, worker: Worker) -> None:
    site.turn()

    worker.is_held = True
    site.turn()

    assert len(site.asked) == 1


def test_site_that_answers_at_once_without_work_is_not_asked_in_a_loop(
    site: Site, worker: Worker
) -> None:
    site.turn((200, {"messages": []}))
    site.turn()
    site.now += 0.5
    site.turn()

    assert len(site.asked) == 2


@pytest.mark.parametrize(
    "failure",
    [
        ConnectionResetError("cut"),
        (503, {"code": "busy", "detail": "Later."}),
        (409, {"code": "other", "detail": "Another release."}),
        (502, "no JSON of ours"),
        (200, {"match_ids": []}),
    ],
    ids=repr,
)
def test_pause_after_a_failure_doubles_up_to_half_a_minute(
    failure: Answer, site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_answers", lambda url: False)
    pauses = []

    with capture_logs() as logs:
        for _ in range(8):
            site.turn(failure)
            began = site.now
            site.now = worker.connection.transport._due  # type: ignore[attr-defined]  # ours
            pauses.append(site.now - began)
        site.turn((200, {"messages": _PLAY}))
        site.turn(failure)

    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert worker.got == [[PLAY_MATCHES, [1, 2]]]
    assert [line["event"] for line in logs] == ["no hints for now"] * 2


def test_connection_that_the_site_has_ended_is_opened_again(site: Site, worker: Worker) -> None:
    site.turn((200, {"messages": _PLAY}))
    site.is_idle_too_long = True
    site.turn((200, {"messages": _PLAY}))

    assert len(worker.got) == 2
    assert site.opened == 2


def test_refused_token_asks_for_nothing_more(site: Site, worker: Worker) -> None:
    site.turn((401, {"code": "worker_token_revoked", "detail": "No longer."}))
    site.now += 60
    site.turn()

    assert worker.platform.has_refused
    assert len(site.asked) == 1


@pytest.mark.parametrize(
    "message", [None, {}, {"headers": {"task": "celery.chord_unlock"}, "properties": {}}], ids=repr
)
def test_unreadable_message_is_dropped(message: Any, site: Site, worker: Worker) -> None:
    site.turn((200, {"messages": [{"queue": MATCHES, "message": message}, *_PLAY]}))

    assert worker.got == [[PLAY_MATCHES, [1, 2]]]


def test_worker_leaves_the_site_when_its_broker_answers_again(
    site: Site, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([False, True])
    monkeypatch.setattr(module, "_answers", lambda url: next(looks))

    for _ in range(2):
        site.turn()
        site.now += LOOK_S
    with pytest.raises(ConnectionResetError, match="answers again"):
        site.turn()
