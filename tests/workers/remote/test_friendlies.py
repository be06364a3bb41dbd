"""A worker without keys moves bots of friendlies, and reads no files but theirs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from django.db.models.functions import Now

from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from pentathlon.fleet.announcements import MOVE_BOTS, Work
from pentathlon.friendlies.jobs import FriendlyStretch
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.friendlies.stretches import publish_friendlies
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_version, make_worker
from tests.pentathlon.friendlies.acting import begun, move, result_of
from tests.workers.playing import play_jobs
from tests.workers.sites import make_worker_token, remote_platform
from tests.workers.test_platforms import announced
from workers.port import Lease
from workers.remote.adapter import RemotePlatform
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform(tmp_path: Path) -> RemotePlatform:
    return remote_platform(tmp_path / "unsent", make_worker_token()[1])


def claim(platform: RemotePlatform, *asked: Friendly) -> list[FriendlyStretch]:
    ids = [friendly.pk for friendly in asked]
    Friendly.objects.filter(pk__in=ids).update(sent_at=Now())
    return claim_told(platform, ids)


def claim_told(platform: RemotePlatform, ids: list[int]) -> list[FriendlyStretch]:
    told = {"task": MOVE_BOTS, "slot": "host/1.0", "announcement": announced()}
    return cast("list[FriendlyStretch]", platform.claim(ids, **told))  # type: ignore[arg-type]


def test_bot_answers_a_person(platform: RemotePlatform) -> None:
    friendly = move(begun())
    (stretch,) = claim(platform, friendly)
    files = BotFiles(platform.archive)

    failed = play_jobs([stretch], platform=platform, launcher=PlainLauncher(), files=files)
    files.close()

    friendly.refresh_from_db()
    assert failed == 0
    assert (friendly.state, friendly.ply) == (FriendlyState.PERSON, 2)
    assert friendly.worker.startswith("w")


def test_two_cannot_move_the_same_bot(platform: RemotePlatform) -> None:
    friendly = move(begun())

    assert len(claim(platform, friendly)) == 1
    assert claim(platform, friendly) == []


def test_lease_holds_until_it_is_given_back(platform: RemotePlatform) -> None:
    friendly = move(begun())
    (stretch,) = claim(platform, friendly)
    lease = Lease(job=stretch, ply=1)

    assert platform.renew([lease]) == []
    assert platform.give_back(stretch, reason="draining")
    assert platform.renew([lease]) == [stretch.id]
    (refusal,) = platform.hand_in([result_of(stretch)])
    assert isinstance(refusal, Conflict)
    assert Friendly.objects.get().host_faults == 0


def test_result_that_follows_from_no_rules_is_refused(platform: RemotePlatform) -> None:
    (stretch,) = claim(platform, move(begun()))
    result = result_of(stretch)
    events = (*result.events[:-1], result.events[-1]._replace(text="add everything"))
    forged = replace(result, events=events)

    (refusal,) = platform.hand_in([forged])

    assert isinstance(refusal, InvalidInput)

    assert Friendly.objects.get().state == FriendlyState.BOT


def test_worker_reads_no_files_of_others(platform: RemotePlatform) -> None:
    friendly, stranger = move(begun()), make_version(like="greedy")
    claim(platform, friendly)
    platform._rights[stranger.archive_id] = f"friendly={friendly.pk}"

    with pytest.raises(NotFound):
        platform.archive(stranger.archive_id)


def test_worker_for_rated_matches_only_moves_no_bot(tmp_path: Path) -> None:
    _, secret = make_worker_token(Work.RATED)
    rated_only = remote_platform(tmp_path / "unsent", secret)

    assert claim(rated_only, move(begun())) == []


def test_friendly_that_is_passed_on_is_sent_again(platform: RemotePlatform) -> None:
    make_worker(slots=2)
    friendly = begun(seat=1)
    sent: list[int] = []
    publish_friendlies(sent.extend)

    platform.publish_again([friendly.pk], task=MOVE_BOTS)
    publish_friendlies(sent.extend)

    assert sent == [friendly.pk, friendly.pk]


def test_friendly_is_claimed_only_when_its_hint_is_out(platform: RemotePlatform) -> None:
    guessed = move(begun())

    assert claim_told(platform, [guessed.pk]) == []
