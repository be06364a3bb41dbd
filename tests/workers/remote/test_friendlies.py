"""A worker without keys moves bots of friendlies, and reads no files but theirs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.db.models.functions import Now

from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.fleet.announcements import Work
from pentathlon.friendlies.jobs import FriendlyStretch
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.friendlies.stretches import publish_friendlies
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_version, make_worker
from tests.pentathlon.friendlies.acting import answered, begun, move, result_of
from tests.workers.sites import make_worker_token, remote_platform
from tests.workers.test_platforms import announced
from workers.remote.adapter import RemotePlatform
from workers.remote.friendlies import RemoteFriendlies
from workers.slots.bot_files import BotFiles
from workers.slots.friendlies import play_stretch

pytestmark = pytest.mark.django_db


@pytest.fixture
def platform(tmp_path: Path) -> RemotePlatform:
    return remote_platform(tmp_path / "unsent", make_worker_token()[1])


@pytest.fixture
def friendlies(platform: RemotePlatform) -> RemoteFriendlies:
    return RemoteFriendlies(platform)


def claim(friendlies: RemoteFriendlies, *asked: Friendly) -> list[FriendlyStretch]:
    ids = [friendly.pk for friendly in asked]
    Friendly.objects.filter(pk__in=ids).update(sent_at=Now())
    return friendlies.claim(ids, slot="host/1.0", announcement=announced())


def test_bot_answers_a_person(platform: RemotePlatform, friendlies: RemoteFriendlies) -> None:
    friendly = move(begun())
    (stretch,) = claim(friendlies, friendly)
    files = BotFiles(platform.archive)

    is_well = play_stretch(stretch, friendlies=friendlies, launcher=PlainLauncher(), files=files)
    files.close()

    friendly.refresh_from_db()
    assert is_well
    assert (friendly.state, friendly.ply) == (FriendlyState.PERSON, 2)
    assert friendly.worker.startswith("w")


def test_two_cannot_move_the_same_bot(friendlies: RemoteFriendlies) -> None:
    friendly = move(begun())

    assert len(claim(friendlies, friendly)) == 1
    assert claim(friendlies, friendly) == []


def test_lease_holds_until_it_is_given_back(friendlies: RemoteFriendlies) -> None:
    friendly = move(begun())
    (stretch,) = claim(friendlies, friendly)

    held = stretch.friendly_id, stretch.token

    assert friendlies.renew(*held, ply=1)
    assert friendlies.fail(*held, reason="draining", counts=False)
    assert not friendlies.renew(*held, ply=1)
    assert not friendlies.finish(*held, result=result_of(answered(stretch)))
    assert Friendly.objects.get().host_faults == 0


def test_result_that_follows_from_no_rules_is_refused(friendlies: RemoteFriendlies) -> None:
    (stretch,) = claim(friendlies, move(begun()))
    result = result_of(answered(stretch))
    events = (*result.events[:-1], result.events[-1]._replace(text="add everything"))
    forged = replace(result, events=events)

    with pytest.raises(InvalidInput):
        friendlies.finish(stretch.friendly_id, stretch.token, result=forged)

    assert Friendly.objects.get().state == FriendlyState.BOT


def test_worker_reads_no_files_of_others(
    platform: RemotePlatform, friendlies: RemoteFriendlies
) -> None:
    friendly, stranger = move(begun()), make_version(like="greedy")
    claim(friendlies, friendly)
    platform.note_right(stranger.archive_id, f"friendly={friendly.pk}")

    with pytest.raises(NotFound):
        platform.archive(stranger.archive_id)


def test_worker_for_rated_matches_only_moves_no_bot(tmp_path: Path) -> None:
    _, secret = make_worker_token(Work.RATED)
    rated_only = RemoteFriendlies(remote_platform(tmp_path / "unsent", secret))

    assert claim(rated_only, move(begun())) == []


def test_friendly_that_is_passed_on_is_sent_again(friendlies: RemoteFriendlies) -> None:
    make_worker(slots=2)
    friendly = begun(seat=1)
    sent: list[int] = []
    publish_friendlies(sent.extend)

    friendlies.publish_again([friendly.pk])
    publish_friendlies(sent.extend)

    assert sent == [friendly.pk, friendly.pk]


def test_friendly_is_claimed_only_when_its_hint_is_out(friendlies: RemoteFriendlies) -> None:
    guessed = move(begun())

    assert friendlies.claim([guessed.pk], slot="h/1.0", announcement=announced()) == []
