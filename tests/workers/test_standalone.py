"""A worker with an address and a token, and nothing else, plays rated matches to the end."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import cast
from zipfile import ZipFile

import pytest
from redis import Redis

from pentathlon.env import IMPORT_PATH, read_environment
from pentathlon.fleet.hints import Hint
from pentathlon.fleet.models import WorkerToken
from pentathlon.live.frames import frame_key
from pentathlon.local.servers import processes
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.worker_tokens import revoke_worker_token
from pentathlon.web.docs.wheel import wheels
from tests.factories import make_match, make_version
from tests.patience import PATIENCE_S
from tests.workers.playing import DIRECT, make_sleeper
from tests.workers.running import running_platform
from tests.workers.sites import make_worker_token
from workers import standalone
from workers.host.cpu_pressure import HOLD_S, Starvation
from workers.prefork import TOKEN_REFUSED
from workers.process import WorkerProcess
from workers.remote.adapter import RemotePlatform
from workers.standalone import main

WORKER = (sys.executable, "-P", "-m", "workers")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_worker_without_keys_plays_rated_matches_to_the_end(tmp_path: Path) -> None:
    token, secret = make_worker_token()
    secret_file = tmp_path / "token"
    secret_file.write_text(secret + "\n")
    versions = [make_version(), make_version(like="greedy")]
    for _ in range(3):
        make_match(versions, rated=True)
    sleepers = [make_sleeper(0.1), make_sleeper(0.1)]
    # Frames are hints: while the broker or the site is busy, some seconds go untold.
    shown = [make_match(sleepers, rated=True).pk for _ in range(4)]
    served = tmp_path / "served"
    for wheel in wheels().values():
        ZipFile(io.BytesIO(wheel.data)).extractall(served)
    # No database, no broker, no key, no home: what is not here cannot be stolen from here.
    bare = {"PYTHONPATH": str(served), "PATH": "/usr/bin:/bin", "PENTATHLON_STARVED_SHARE": "2"}

    with running_platform(tmp_path) as platform:
        site = platform.start_web()
        platform.start_reconciler()
        log = tmp_path / "bare-worker.log"
        with log.open("wb") as output:
            options = ("--token-file", secret_file, "--slots", "1", "--data", tmp_path / "state")
            worker = processes.start(
                [*WORKER, "--server", site, *options], output=output, environment=bare
            )
        platform.started.append(worker)
        platform.eventually(lambda: not Match.objects.unfinished().exists())

        assert set(Match.objects.values_list("state", "host_faults")) == {(MatchState.DONE, 0)}
        played = Attempt.objects.values_list("worker_token", "state").distinct()
        assert list(played) == [(token.pk, AttemptState.ACCEPTED)]
        with Redis.from_url(platform.environment["REDIS_URL"]) as broker:
            keys = [frame_key(pk, 1) for pk in shown]
            assert broker.exists(*keys), "spectators could watch none of them"
        # It hears of the last result a moment after the database has it.
        unsent = tmp_path / "state" / "unsent"
        platform.eventually(lambda: not list(unsent.iterdir()))

        revoke_worker_token(WorkerToken.objects.get())
        assert worker.wait(PATIENCE_S) == TOKEN_REFUSED, log.read_text()


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--server", "ftp://example.org", "--token", "ptw_1"],
        ["--server", "http://example.org", "--token", "ptw_1"],
        ["--server", "https://example.org", "--token", "ptw_\n1"],
        ["--server", "https://example.org", "--token-file", "/nowhere"],
        ["--server", "https://example.org", "--token", "ptw_1", "--slots", "0"],
    ],
    ids=str,
)
def test_options_that_cannot_work_are_refused(options: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        sys.exit(main(options))

    assert refused.value.code == 2


@pytest.mark.parametrize("key", ["DATABASE_URL", "PENTATHLON_SECRET_KEY", "REDIS_URL"])
def test_worker_refuses_to_run_beside_keys_in_production(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given = read_environment({"PENTATHLON_MODE": "production", key: "redis://x:secret@y/0"})
    monkeypatch.setattr(standalone, "read_environment", lambda: given)

    code = main(["--server", "https://example.org", "--token", "ptw_1"])

    assert code == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{key} must not be set where bots of others run")
    assert "secret@" not in said


class Waits:
    """A source without hints that notes what it was asked."""

    def __init__(self, worker: WorkerProcess) -> None:
        self.asked: list[tuple[float, bool]] = []
        self._worker = worker

    def wait(self, wait_s: float, *, only_friendlies: bool = False) -> Hint:
        self.asked.append((wait_s, only_friendlies))
        self._worker.drain.ask()
        return Hint(match_ids=[])


@pytest.mark.parametrize(("index", "asks"), [(0, (standalone.WAIT_S, False)), (1, (HOLD_S, True))])
def test_held_slot_asks_for_no_matches(
    index: int, asks: tuple[float, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    starvation = Starvation(slots=2, pressure=lambda: 0.9)
    starvation.slot = index
    worker = WorkerProcess(None, platform=DIRECT, starvation=starvation)
    source = Waits(worker)

    standalone._Slot(
        worker, cast("RemotePlatform", DIRECT), source, index=index, parent=os.getppid()
    )._take_one()

    assert source.asked == [asks]


def test_worker_without_keys_imports_no_django() -> None:
    program = (
        "import sys, workers.standalone; "
        "print([m for m in ('django', 'celery', 'psycopg', 'rest_framework') if m in sys.modules])"
    )

    found = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": IMPORT_PATH},
        capture_output=True,
        text=True,
        check=True,
    )

    assert found.stdout.strip() == "[]"
