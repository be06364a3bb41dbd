"""What the site shows of matches that workers without keys play."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db.models.functions import Now
from pytest_django import Settings
from redis import Redis

from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.live import reports
from pentathlon.live.frames import (
    IDLE_S,
    LOOK,
    WATCHED_S,
    frame_key,
    lane_channel,
    match_channel,
    unpack,
)
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import MatchKind
from pentathlon_engines import GAMES
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.match.referee import Referee
from tests.factories import make_match, make_version
from tests.patience import PATIENCE_S
from tests.workers.playing import play_jobs
from tests.workers.sites import make_worker_token, remote_platform
from tests.workers.test_platforms import announced
from workers.remote.adapter import RemotePlatform
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db

FRAMES = "/api/v1/fleet/frames/"


@pytest.fixture
def redis(broker: str, settings: Settings) -> Iterator[Redis]:
    """Give the site a broker, and a client of it."""
    settings.REDIS_URL = broker
    with Redis.from_url(broker) as client:
        yield client


def claimed(platform: RemotePlatform, **fields: Any) -> Job:
    match = make_match([make_version(), make_version(like="greedy")], sent_at=Now(), **fields)
    job: Job
    (job,) = platform.claim([match.pk], slot="host/1.0", announcement=announced())
    return job


def happened(job: Job, *, plies: int) -> list[Event]:
    referee = Referee(game=GAMES[job.game], seats=2, options=job.options, seed=job.seed)
    luck = Random(1)
    while referee.seat_to_ask() is not None and referee.ply < plies:
        action = referee.state.random_action(luck)
        referee.accept(referee.state.text(action), cpu_ms=3, wall_ms=4)
    return referee.events


def test_site_draws_what_a_worker_reports(redis: Redis, platform: RemotePlatform) -> None:
    job = claimed(platform)
    events = happened(job, plies=9)

    wanted_s = platform.show(job, events)

    assert wanted_s == IDLE_S
    data = redis.get(frame_key(job.match_id, job.attempt))
    assert isinstance(data, bytes)
    frame = unpack(data)
    assert frame.ply == len(events)
    assert [row[1] for row in frame.events] == [event.text for event in events]
    assert frame.svg.startswith("<svg")


def test_more_is_wanted_sooner_while_somebody_watches(
    redis: Redis, platform: RemotePlatform
) -> None:
    job = claimed(platform)
    with redis.pubsub() as heard:  # type: ignore[no-untyped-call]  # redis
        heard.subscribe(match_channel(job.match_id))
        heard.get_message(timeout=PATIENCE_S)

        wanted_s = platform.show(job, happened(job, plies=3))
        message = heard.get_message(timeout=PATIENCE_S)

    assert wanted_s == WATCHED_S
    assert message is not None
    assert unpack(message["data"]).ply == len(happened(job, plies=3))


def test_match_that_may_not_be_watched_is_never_shown(
    redis: Redis, platform: RemotePlatform
) -> None:
    job = claimed(platform, kind=MatchKind.VALIDATION)

    wanted_s = platform.show(job, happened(job, plies=3))

    assert wanted_s == reports.NEVER_S
    assert redis.get(frame_key(job.match_id, job.attempt)) is None


def test_events_that_cannot_happen_are_refused(redis: Redis, platform: RemotePlatform) -> None:
    job = claimed(platform)
    events = happened(job, plies=3)

    with pytest.raises(InvalidInput, match="cannot have happened"):
        platform.show(job, [*events, Event(0, "no such action")])
    with pytest.raises(InvalidInput, match="event 0"):
        platform.show(job, [Event(7, "pass", 1, 1)])

    assert redis.get(frame_key(job.match_id, job.attempt)) is None


def test_nobody_reports_of_a_match_that_another_worker_plays(
    redis: Redis, platform: RemotePlatform, tmp_path: Path
) -> None:
    job = claimed(platform)
    stranger = remote_platform(tmp_path / "other", make_worker_token()[1])

    with pytest.raises(Conflict, match="does not play"):
        stranger.show(job, [])


def test_without_a_broker_no_more_is_wanted(platform: RemotePlatform, settings: Settings) -> None:
    settings.REDIS_URL = None
    job = claimed(platform)

    assert platform.show(job, []) == reports.NEVER_S


def test_broker_that_is_away_hinders_no_report(
    settings: Settings, platform: RemotePlatform, tmp_path: Path
) -> None:
    settings.REDIS_URL = f"unix://{tmp_path}/nothing?db=0"
    job = claimed(platform)

    for plies in (2, 4):
        assert platform.show(job, happened(job, plies=plies)) == IDLE_S


def test_end_is_told_by_the_site_itself(redis: Redis, platform: RemotePlatform) -> None:
    job = claimed(platform, lane=7)
    with redis.pubsub() as heard:  # type: ignore[no-untyped-call]  # redis
        heard.subscribe(match_channel(job.match_id), lane_channel(7))
        for _ in range(2):
            heard.get_message(timeout=PATIENCE_S)
        files = BotFiles(platform.archive)
        play_jobs([job], platform=platform, launcher=PlainLauncher(), files=files)
        got = [heard.get_message(timeout=PATIENCE_S) for _ in range(2)]

    assert {each["channel"].decode(): each["data"] for each in got if each} == {
        match_channel(job.match_id): LOOK,
        lane_channel(7): LOOK,
    }
