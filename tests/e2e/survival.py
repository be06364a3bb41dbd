"""The whole platform at once: bots come in over HTTP, play in the sandbox, a worker dies.

`python3 manage.py test survival`. The usual run kills a worker in
tests/workers/test_worker_process.py, and uploads bots over HTTP in the demo of `up`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django.fixtures import Settings

from pentathlon.local.demo.people import ApiClient
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool
from pentathlon.ratings.verification import verify_pool
from tests.factories import PASSWORD, make_upload, make_user
from tests.workers.running import Platform, alive, kill_group, running_platform

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

BOTS = {"anna": "random", "bert": "greedy", "carl": "random", "dora": "greedy"}
MATCHES = 12
"""The matches of a double round robin of four bots: enough to be caught in the middle of one."""


@pytest.fixture
def platform(tmp_path: Path, settings: Settings) -> Iterator[Platform]:
    # The server checks passwords as in production, not as in the other tests.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    with running_platform(tmp_path) as platform:
        yield platform


def test_tournament_survives_a_killed_worker(platform: Platform) -> None:
    address = platform.start_web()
    platform.start_reconciler()
    worker = platform.start_worker(slots=2)
    versions = [_upload(address, name, like) for name, like in BOTS.items()]
    organiser = _signed_in(address, "organiser")
    _wait_until_eligible(platform, organiser, versions)

    tournament = _start_tournament(organiser, versions)
    orphans = platform.stop_while_playing(worker)
    kill_group(worker)
    platform.start_worker(slots=2)

    platform.eventually(lambda: not alive(orphans))
    platform.eventually(lambda: _state(organiser, tournament) == "closed", patience_s=300)
    _every_match_counts_once()
    _ratings_equal_a_recompute()
    assert Attempt.objects.filter(state=AttemptState.EXPIRED).exists()
    standings = organiser.get(f"tournaments/{tournament}/standings/")
    assert {row["version"]["id"] for row in standings["results"]} == set(versions)


def _signed_in(address: str, name: str) -> ApiClient:
    make_user(name, organiser=True)
    return ApiClient.signed_in(address, username=name, password=PASSWORD)


def _upload(address: str, name: str, like: str) -> int:
    """Upload a bot of a new author; return the id of its first version."""
    author = _signed_in(address, name)
    bot = author.upload("bots/", make_upload(f"{name}s-bot", like=like))
    return int(bot["latest_version"]["id"])


def _wait_until_eligible(platform: Platform, reader: ApiClient, versions: list[int]) -> None:
    platform.eventually(
        lambda: all(reader.get(f"versions/{pk}/")["state"] == "eligible" for pk in versions),
    )


def _start_tournament(organiser: ApiClient, versions: list[int]) -> int:
    document = {"name": "Survivors", "game": "tuned", "versions": versions, "cycles": 1}
    tournament = int(organiser.post("tournaments/", document)["id"])
    organiser.post(f"tournaments/{tournament}/start/")
    return tournament


def _state(reader: ApiClient, tournament: int) -> str:
    return str(reader.get(f"tournaments/{tournament}/")["state"])


def _tournament_matches(state: MatchState) -> int:
    return Match.objects.filter(kind=MatchKind.TOURNAMENT, state=state).count()


def _every_match_counts_once() -> None:
    assert _tournament_matches(MatchState.DONE) == MATCHES
    ended = Match.objects.count()
    assert Replay.objects.count() == ended
    assert Attempt.objects.filter(state=AttemptState.ACCEPTED).count() == ended
    for pool in Pool.objects.all():
        rows = LedgerRow.objects.filter(pool=pool)
        assert rows.filter(state=LedgerState.APPLIED).count() == rows.count() == MATCHES
        assert pool.applied_seq == MATCHES


def _ratings_equal_a_recompute() -> None:
    assert Pool.objects.count() == 2
    for pool in Pool.objects.all():
        assert verify_pool(pool_id=pool.pk) == []
    call_command("verify_ratings")
