"""A message that cannot be read is dropped: it ends no worker, and the next one is followed."""

import json
from pathlib import Path

import pytest
from redis import Redis

from pentathlon.fleet.hints import MATCHES
from pentathlon.matches.models import Match, MatchState
from tests.factories import make_match
from tests.workers.running import running_platform

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


@pytest.mark.django_db(transaction=True)
def test_unreadable_messages_end_no_worker(tmp_path: Path) -> None:
    make_match()

    with running_platform(tmp_path) as platform:
        with Redis.from_url(platform.environment["REDIS_URL"]) as redis:
            redis.lpush(MATCHES, *_JUNK)
        worker = platform.start_worker()
        platform.start_reconciler()
        platform.eventually(lambda: Match.objects.get().state == MatchState.DONE)

        assert worker.poll() is None
    logged = (tmp_path / "worker-0.log").read_text()
    assert logged.count("unreadable message dropped") == len(_JUNK)
