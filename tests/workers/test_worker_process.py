"""A real Celery worker plays real matches in the real sandbox, over a real Valkey."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon.bots.models import VersionState
from pentathlon.matches.models import Attempt, Match, MatchKind, MatchState
from pentathlon.replays.services import read_record
from pentathlon_engines.record import verify_record
from tests.factories import make_match, make_version
from tests.workers.running import Platform, running_platform

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    with running_platform(tmp_path) as platform:
        yield platform


def _all_ended() -> bool:
    return not Match.objects.unfinished().exists()


def test_published_matches_are_played_once_and_can_be_verified(platform: Platform) -> None:
    one, two = make_version(), make_version(like="greedy")
    for _ in range(4):
        make_match([one, two])
    platform.start_worker(slots=2)
    platform.start_reconciler()

    platform.eventually(_all_ended)

    for match in Match.objects.select_related("replay"):
        assert match.state == MatchState.DONE
        assert match.attempts_made == 1
        record = read_record(match.replay)
        assert verify_record(record).outcome is not None or record["faults"]
        assert record["sandbox"] == match.sandbox


def test_upload_is_validated(platform: Platform) -> None:
    version = make_version(state=VersionState.VALIDATING)
    make_match([version, version], kind=MatchKind.VALIDATION)
    platform.start_worker()
    platform.start_reconciler()

    platform.eventually(_all_ended)

    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE


def test_reconciler_stops_cleanly_when_asked(platform: Platform) -> None:
    reconciler = platform.start_reconciler()
    make_match()
    platform.eventually(lambda: Match.objects.filter(sent_at__isnull=False).exists())

    reconciler.terminate()

    assert reconciler.wait(10) == 0, platform.all_logs()
    assert Attempt.objects.count() == 0
