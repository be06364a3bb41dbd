"""A real Celery worker plays real matches in the real sandbox, over a real broker."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from standardwebhooks.webhooks import Webhook

from pentathlon.bots.models import VersionState
from pentathlon.core.models import Leadership
from pentathlon.core.services import RECONCILER
from pentathlon.fleet.models import Worker
from pentathlon.fleet.tokens import record_heartbeat
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchKind, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from pentathlon.webhooks.messages import secret_of
from pentathlon.webhooks.services import ping_endpoint
from pentathlon_engines.record.record import verify_record
from tests.factories import make_match, make_version, make_worker
from tests.patience import PATIENCE_S
from tests.pentathlon.matches.acting import let_lease_expire
from tests.pentathlon.webhooks.receiving import make_endpoint, receiver
from tests.workers.playing import make_sleeper
from tests.workers.running import Platform, alive, kill_group, running_platform
from workers.sandbox.files.staging import Staging, sweep

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def _all_ended() -> bool:
    return not Match.objects.unfinished().exists()


@pytest.fixture
def temporary() -> Iterator[Path]:
    """Give a folder of temporary files that every user may enter."""
    staging = Staging()
    folder = staging.new_folder()
    folder.chmod(0o755)
    yield folder
    staging.close()


@pytest.mark.deep
def test_matches_are_played_once_and_finished_by_a_worker_that_is_asked_to_stop(
    tmp_path: Path, temporary: Path
) -> None:
    upload = make_version(state=VersionState.VALIDATING)
    make_match([upload, upload], kind=MatchKind.VALIDATION)
    versions = [make_version(), make_version(like="greedy")]
    for _ in range(3):
        make_match(versions)

    with running_platform(tmp_path) as platform, receiver() as told:
        endpoint = make_endpoint(upload.bot.owner, url=told.url)
        platform.environment["PENTATHLON_DRAIN_S"] = "30"
        platform.environment["PENTATHLON_SECRET_KEY"] = settings.SECRET_KEY
        platform.environment["TMPDIR"] = str(temporary)
        worker = platform.start_worker(slots=2)
        reconciler = platform.start_reconciler()
        platform.eventually(_all_ended)
        platform.eventually(lambda: "command" in Worker.objects.get().runtimes)
        platform.eventually(lambda: bool(told.requests))
        played = list(Match.objects.select_related("replay"))
        _start_short_matches(platform)
        _end_without_a_trace(platform, worker, temporary, how=signal.SIGTERM)
        reconciler.terminate()
        assert reconciler.wait(PATIENCE_S) == 0, platform.all_logs()

    row = Worker.objects.get()
    assert (row.slots, "python" in row.runtimes) == (2, True)
    assert {"layer", "state", "detail"} <= set(row.layers[0])
    assert len(played) == 4
    for match in played:
        assert (match.state, match.attempts_made) == (MatchState.DONE, 1)
        verify_record(read_record(match.replay))
    _demand_that_those_were_finished(worker)
    upload.refresh_from_db()
    assert upload.state == VersionState.ELIGIBLE
    event = Webhook(secret_of(endpoint.salt)).verify(
        told.requests[0].body, told.requests[0].headers
    )
    assert (event["type"], event["data"]["version"]) == ("version.validated", upload.pk)


def _start_short_matches(platform: Platform) -> None:
    """Let the worker be asked to stop in the middle of one match, while others wait."""
    sleepers = [make_sleeper(0.05), make_sleeper(0.05)]
    for _ in range(8):
        make_match(sleepers)
    platform.eventually(lambda: Match.objects.live().exists())


def _demand_that_those_were_finished(worker: subprocess.Popen[bytes]) -> None:
    """Demand that matches that were played then were ended or given back, and none was begun."""
    assert worker.returncode == 0
    assert not Match.objects.live().exists()
    assert Match.objects.waiting().exists()
    ended = Attempt.objects.values_list("state", flat=True)
    assert set(ended) <= {AttemptState.ACCEPTED, AttemptState.RETURNED}


def test_match_of_a_killed_worker_is_played_by_the_next_without_redis(
    tmp_path: Path, temporary: Path
) -> None:
    # The match is long enough to be caught in the middle.
    match = make_match([make_sleeper(0.05), make_sleeper(0.05)])

    # Hints go through the file system.
    with running_platform(tmp_path, with_broker=False) as platform:
        platform.environment["TMPDIR"] = str(temporary)
        worker = platform.start_worker()
        platform.start_reconciler()
        left = platform.stop_while_playing(worker)
        kill_group(worker)
        platform.eventually(lambda: not alive(left))
        let_lease_expire(match.pk)
        worker = platform.start_worker()
        platform.eventually(_all_ended)
        _end_without_a_trace(platform, worker, temporary, how=signal.SIGKILL)

    ends = Attempt.objects.order_by("number").values_list("state", flat=True)
    assert list(ends) == [AttemptState.EXPIRED, AttemptState.ACCEPTED]
    verify_record(read_record(Replay.objects.get()))


@pytest.mark.deep
def test_nothing_is_lost_when_a_worker_is_killed_whose_slots_are_held_back(
    tmp_path: Path,
) -> None:
    with running_platform(tmp_path) as platform:
        platform.environment["PENTATHLON_STARVED_SHARE"] = "0"
        worker = platform.start_worker(slots=2)
        platform.eventually(lambda: Worker.objects.filter(held_slots=1).exists())
        matches = _make_more_than_one_slot_takes()
        platform.start_reconciler()
        left = platform.stop_while_playing(worker)
        platform.eventually(lambda: Match.objects.sent().exists())
        playing = Match.objects.live().count()
        kill_group(worker)
        platform.eventually(lambda: not alive(left))
        for match in Match.objects.live():
            let_lease_expire(match.pk)
        platform.start_worker(slots=2)
        platform.eventually(_all_ended)

    assert playing == 1, "the other slot was held back"
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.DONE}
    ends = Attempt.objects.order_by("state").values_list("state", flat=True)
    assert list(ends) == [*[AttemptState.ACCEPTED] * matches, AttemptState.EXPIRED]
    assert Replay.objects.count() == matches


def _make_more_than_one_slot_takes() -> int:
    """Make matches of a tournament and of a ladder; return how many."""
    sleepers = [make_sleeper(0.02), make_sleeper(0.02)]
    kinds = [kind for kind in (MatchKind.TOURNAMENT, MatchKind.LADDER) for _ in range(3)]
    return len([make_match(sleepers, kind=kind) for kind in kinds])


def _end_without_a_trace(
    platform: Platform, worker: subprocess.Popen[bytes], folder: Path, *, how: signal.Signals
) -> None:
    """End a worker that has played; no temporary file of its own may be left."""
    made = _temporary(folder)
    os.kill(worker.pid, how)
    worker.wait(PATIENCE_S)
    # Slots end by themselves a moment after the worker that they belong to.
    platform.eventually(lambda: _swept(folder, how) == [])
    assert made
    assert not [name for name in made if name.startswith("pymp")]


def test_reconciler_works_on_without_a_broker_and_stops_when_asked(tmp_path: Path) -> None:
    match = make_match(state=MatchState.RUNNING)
    let_lease_expire(match.pk)

    with running_platform(tmp_path) as platform, receiver() as told:
        endpoint = make_endpoint(url=told.url)
        ping_endpoint(actor=endpoint.owner, endpoint_id=endpoint.pk)
        platform.environment["REDIS_URL"] = f"unix://{tmp_path}/nobody.sock"
        reconciler = platform.start_reconciler()
        platform.eventually(lambda: bool(told.requests))
        platform.eventually(lambda: Match.objects.get().state == MatchState.PENDING)
        platform.eventually(lambda: "broker away" in platform.all_logs())
        reconciler.terminate()
        assert reconciler.wait(PATIENCE_S) == 0, platform.all_logs()
        complaints = [platform.all_logs().count(each) for each in ("away", "does not work")]

    assert complaints == [1, 0]
    assert Match.objects.get().sent_at is None


@pytest.mark.deep
def test_reconciler_takes_over_from_one_that_was_killed(tmp_path: Path) -> None:
    with running_platform(tmp_path) as platform:
        copies = [platform.start_reconciler() for _ in range(2)]
        platform.eventually(lambda: _leader() in {copy.pid for copy in copies})
        leader = _leader()
        os.kill(leader, signal.SIGKILL)
        match = make_match([make_version(), make_version(like="greedy")])

        platform.eventually(lambda: _leader() not in {leader, 0})
        worker = make_worker()
        platform.eventually(lambda: _is_sent(match, worker))


def _is_sent(match: Match, worker: Worker) -> bool:
    # Nothing goes out while no worker is alive.
    assert record_heartbeat(name=worker.name)
    match.refresh_from_db()
    return match.sent_at is not None


def _leader() -> int:
    """Return the process that hands matches out."""
    holders = Leadership.objects.filter(name=RECONCILER).values_list("holder", flat=True)
    return int(next(iter(holders), "/0/").split("/")[1])


def _temporary(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(("pent", "pymp")))


def _swept(folder: Path, how: signal.Signals) -> list[str]:
    """Return what is left, after a killed worker: what the next one leaves of it."""
    if how is signal.SIGKILL:
        sweep(folder)
    return _temporary(folder)
