"""What Celery starts: a worker only where bots can be isolated, one object for all its slots."""

from pathlib import Path
from typing import NamedTuple

import pytest
from celery.signals import worker_init, worker_shutting_down
from celery.worker import state
from pytest_django.fixtures import Settings

from pentathlon.fleet.capabilities import least_sandbox
from pentathlon_engines.match.launcher import SandboxLevel
from tests.workers.playing import DIRECT
from workers import direct, tasks
from workers.drain import Drain
from workers.process import WorkerProcess
from workers.remote.adapter import RemotePlatform
from workers.remote.client import TokenRefused
from workers.sandbox.errors import LayerMissing
from workers.tasks import TOKEN_REFUSED, RefusalWatch, play_matches, worker_process


@pytest.fixture(autouse=True)
def no_worker_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "_worker", None)


@pytest.mark.django_db
def test_worker_that_cannot_isolate_bots_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_no_level(**_: object) -> None:
        raise LayerMissing("namespaces", reason="refused by the kernel", remedy="Allow them.")

    monkeypatch.setattr(tasks, "choose_probe", find_no_level)

    with pytest.raises(SystemExit) as caught:
        worker_init.send(sender=None)

    assert "'namespaces' is not available: refused by the kernel" in str(caught.value)


def test_worker_beside_the_database_does_not_start_in_production(settings: Settings) -> None:
    settings.PRODUCTION = True

    with pytest.raises(SystemExit, match="worker_token create") as caught:
        worker_init.send(sender=None)

    assert "PENTATHLON_SERVER" in str(caught.value)


class Installation(NamedTuple):
    is_production: bool
    least: SandboxLevel
    asked_for: str | None = None


@pytest.mark.parametrize(
    "installation",
    [
        Installation(is_production=True, least=SandboxLevel.NAMESPACES),
        Installation(is_production=False, least=SandboxLevel.LANDLOCK),
        Installation(is_production=False, asked_for="process", least=SandboxLevel.PROCESS),
        Installation(is_production=True, asked_for="landlock", least=SandboxLevel.LANDLOCK),
    ],
    ids=str,
)
def test_weakest_sandbox_depends_on_who_runs_the_platform(
    installation: Installation, settings: Settings
) -> None:
    settings.PRODUCTION = installation.is_production
    settings.SANDBOX_LEVEL = installation.asked_for

    assert least_sandbox() is installation.least


def test_sandbox_is_probed_once_for_all_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    probes: list[object] = []
    monkeypatch.setattr(direct, "wait_for_schema", lambda: None)
    monkeypatch.setattr(tasks, "choose_probe", lambda **_: probes.append(1))

    parents = worker_process(slots=3)

    assert worker_process() is parents
    assert parents.announcement().slots == 3
    assert len(probes) == 1


def test_celerys_request_to_stop_reaches_the_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    drain = Drain(grace_s=60)
    monkeypatch.setattr(tasks, "_worker", WorkerProcess(None, platform=DIRECT, drain=drain))

    worker_shutting_down.send(sender=None)

    assert drain.is_asked


def test_refused_token_drains_the_worker_and_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    platform = RemotePlatform(server="https://site", token="ptw_1", unsent=tmp_path)
    worker = WorkerProcess(None, platform=platform)
    monkeypatch.setattr(tasks, "_worker", worker)
    monkeypatch.setattr(state, "should_stop", None)
    watch = RefusalWatch(None)

    watch.look()
    assert vars(state)["should_stop"] is None
    with pytest.raises(TokenRefused):
        platform.site.refuse(401, b'{"code": "worker_token_revoked", "detail": "No longer."}')
    watch.look()
    watch.look()

    assert worker.drain.is_asked
    assert vars(state)["should_stop"] == TOKEN_REFUSED == 3
    assert capsys.readouterr().err.count("Ask its staff for a new one.") == 1


def test_task_hands_its_matches_to_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    class Recorder:
        def __init__(self) -> None:
            self.asked: list[tuple[object, ...]] = []

        def follow(self, task: str, ids: list[int]) -> None:
            self.asked.append((task, *ids))

    recorder = Recorder()
    monkeypatch.setattr(tasks, "_worker", recorder)

    play_matches([7, 8])

    assert recorder.asked == [("play_matches", 7, 8)]
