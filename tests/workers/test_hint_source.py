"""A worker without Celery waits for hints at the site, or at the queue itself."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import cast

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as NoConnection

from pentathlon.fleet.hints import FRIENDLIES, QUEUES, Hint
from workers.hint_source import LongPoll, QueueReader
from workers.port import PlatformAway
from workers.remote.adapter import RemotePlatform

_CLOSED = "redis://127.0.0.1:1/0"


class Queue:
    """A queue that holds one message, or none, or cannot be read."""

    def __init__(self, *messages: bytes, error: Exception | None = None) -> None:
        self.asked: list[tuple[list[str], float]] = []
        self.opened = 0
        self._messages = list(messages)
        self._error = error

    def open(self, url: str, **_: object) -> Queue:
        self.opened += 1
        return self

    def brpop(self, queues: Sequence[str], timeout: float) -> tuple[bytes, bytes] | None:
        self.asked.append((list(queues), timeout))
        if self._error is not None:
            raise self._error
        return (b"match", self._messages.pop()) if self._messages else None


def reader_of(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> QueueReader:
    monkeypatch.setattr(Redis, "from_url", queue.open)
    return QueueReader("redis://broker/0")


def message(*match_ids: int) -> bytes:
    """Return what Celery sends for a task."""
    body = base64.b64encode(json.dumps([[list(match_ids)], {}, {}]).encode()).decode()
    return json.dumps({"headers": {"task": "play_matches"}, "body": body}).encode()


def test_hint_of_the_queue_names_its_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = reader_of(Queue(message(7, 8)), monkeypatch)

    assert reader.wait(5.0) == Hint(match_ids=(7, 8))


def test_empty_queue_gives_an_empty_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not reader_of(Queue(), monkeypatch).wait(5.0)


@pytest.mark.parametrize(
    ("only_friendlies", "queues"), [(False, list(QUEUES)), (True, [FRIENDLIES])]
)
def test_held_slot_leaves_all_queues_but_one(
    only_friendlies: bool, queues: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue()

    reader_of(queue, monkeypatch).wait(5.0, only_friendlies=only_friendlies)

    assert queue.asked == [(queues, 5.0)]


def test_no_wait_does_not_last_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue()

    reader_of(queue, monkeypatch).wait(0.0)

    ((_, timeout),) = queue.asked
    assert timeout > 0, "the broker takes 0 for no limit"


def test_connection_is_made_by_who_waits_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue()
    reader = reader_of(queue, monkeypatch)
    assert queue.opened == 0, "a slot is forked from the process that made the reader"

    reader.wait(1.0)
    reader.wait(1.0)

    assert queue.opened == 1


@pytest.mark.parametrize("error", [NoConnection("gone"), OSError("gone")], ids=repr)
def test_queue_that_is_away_is_an_outage(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PlatformAway, match=r"^the queue: gone$"):
        reader_of(Queue(error=error), monkeypatch).wait(1.0)


def test_queue_that_refuses_connections_is_an_outage() -> None:
    with pytest.raises(PlatformAway, match="the queue"):
        QueueReader(_CLOSED).wait(0.0)


class Site:
    """A site that answers each question for hints with what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[float, bool]] = []

    def wait_for_hint(self, wait_s: float, *, only_friendlies: bool) -> Hint:
        self.asked.append((wait_s, only_friendlies))
        return Hint(friendly_ids=(3,))


def test_long_poll_asks_the_site() -> None:
    site = Site()

    hint = LongPoll(cast("RemotePlatform", site)).wait(2.0, only_friendlies=True)

    assert hint == Hint(friendly_ids=(3,))
    assert site.asked == [(2.0, True)]
