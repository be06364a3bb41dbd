"""A message that cannot be read is dropped: it ends no worker, and the next one is followed."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db.models.functions import Now
from kombu import Connection
from redis import Redis

from pentathlon.fleet.announcements import PLAY_MATCHES
from pentathlon.fleet.hints import messages
from pentathlon.fleet.queues import MATCHES
from pentathlon.matches.models import Match, MatchState
from tests.factories import make_match
from tests.workers.running import running_platform
from workers.hint_transport import HintMessage, _held, drop_unreadable

_JUNK = [
    b"",
    b"{",
    b"\xff\xfe",
    b"[]",
    b"null",
    b'"hint"',
    b"{}",
    json.dumps({"body": "e30=", "properties": {}}).encode(),
    json.dumps({"body": "e30=", "properties": {"delivery_tag": "1"}}).encode(),
    json.dumps(
        {
            "body": "%%%",
            "headers": {"task": "play_matches", "id": "1"},
            "content-type": "application/json",
            "content-encoding": "utf-8",
            "properties": {
                "body_encoding": "base64",
                "delivery_tag": "1",
                "delivery_info": {"exchange": "match", "routing_key": "match"},
            },
        }
    ).encode(),
]


def test_hint_sets_no_times_or_limits_and_runs_nothing_else() -> None:
    (made,) = messages([(PLAY_MATCHES, [1], {})])
    hint = made["message"]
    hint["headers"] |= {"eta": "2099-01-01", "expires": "2000-01-01", "timelimit": [1, 1]}
    hint["headers"] |= {"group": "g", "reply_to": "me", "retries": 9, "shadow": "another"}

    with Connection("memory://") as connection:
        read = HintMessage(hint, channel=connection.default_channel)  # type: ignore[arg-type]

    assert read.headers.keys() == {"argsrepr", "id", "kwargsrepr", "lang", "task"}
    assert read.decode()[0] == [[1]]


@pytest.mark.parametrize("task", ["celery.backend_cleanup", "os.system", ""])
def test_message_for_another_task_is_no_hint(task: str) -> None:
    with pytest.raises(ValueError, match="no hint"):
        HintMessage({"headers": {"task": task, "id": "1"}, "properties": {}})


def test_unreadable_messages_are_dropped_and_the_next_is_delivered() -> None:
    (hint,) = messages([(PLAY_MATCHES, [1], {})])
    read: list[Any] = []

    with Connection("memory://") as connection:
        channel: Any = connection.default_channel  # Any: kombu's own, as below
        channel.Message = HintMessage
        channel.basic_consume(MATCHES, False, lambda message: read.append(message.decode()), "")
        for text in (*_JUNK[:-1], json.dumps(hint["message"]).encode()):
            drop_unreadable(channel, partial(_deliver, connection.transport, text))

        assert len(_held(channel)) == 1, "what was dropped holds no slot"
    assert [arguments for arguments, *_ in read] == [[[1]]]


def _deliver(transport: Any, text: bytes) -> None:
    transport._deliver(json.loads(text), MATCHES)


@pytest.mark.deep
@pytest.mark.django_db(transaction=True)
def test_unreadable_messages_end_no_worker(tmp_path: Path) -> None:
    match = make_match(sent_at=Now())
    (hint,) = messages([(PLAY_MATCHES, [match.pk], {})])

    with running_platform(tmp_path) as platform:
        with Redis.from_url(platform.environment["REDIS_URL"]) as redis:
            redis.lpush(MATCHES, *_JUNK, json.dumps(hint["message"]))
        worker = platform.start_worker()
        platform.eventually(lambda: Match.objects.get().state == MatchState.DONE)

        assert worker.poll() is None
    logged = (tmp_path / "worker-0.log").read_text()
    assert "unreadable message dropped" in logged
    # Celery itself deletes what is a message but no task.
    assert "Received and deleted unknown message" in logged
