"""A worker says that it is there, and that it stops."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from django.db import InternalError, OperationalError, ProgrammingError
from structlog.testing import capture_logs

from pentathlon.fleet.announcements import Announcement
from pentathlon.fleet.models import Worker
from pentathlon.fleet.tokens import announce_worker
from tests.patience import PATIENCE_S
from tests.workers.playing import DIRECT
from workers import direct as adapter
from workers import heartbeat
from workers.direct import DirectPlatform
from workers.drain import Drain
from workers.heartbeat import Heartbeat
from workers.host.runtimes import Runtimes
from workers.port import PlatformAway

pytestmark = pytest.mark.django_db(transaction=True)

TOLD = Announcement(
    name="host/1",
    slots=2,
    games={"tuned": 1},
    runtimes=("python",),
    sandbox="namespaces",
    layers=[],
    version="1",
    began_s=time.monotonic(),
)


@pytest.fixture
def drain() -> Drain:
    return Drain(grace_s=60)


@pytest.fixture
def beating(drain: Drain, monkeypatch: pytest.MonkeyPatch) -> Iterator[Heartbeat]:
    monkeypatch.setattr(heartbeat, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(heartbeat, "_TICK_S", 0.01)
    started = Heartbeat(lambda: TOLD, drain, platform=DIRECT)
    started.start()
    yield started
    started.stop()


def _eventually(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline


def test_worker_is_announced_and_heard_of_again(beating: Heartbeat) -> None:
    _eventually(Worker.objects.exists)
    first = Worker.objects.get().seen_at

    _eventually(lambda: Worker.objects.get().seen_at > first)


def test_worker_that_was_forgotten_announces_itself_again(beating: Heartbeat) -> None:
    _eventually(Worker.objects.exists)
    Worker.objects.all().delete()

    _eventually(lambda: Worker.objects.filter(slots=2).exists())


def test_worker_that_offers_more_says_so_at_once(
    drain: Drain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "_TICK_S", 0.01)
    known = Runtimes(["python"])
    started = Heartbeat(lambda: replace(TOLD, runtimes=known.working()), drain, platform=DIRECT)
    started.start()
    _eventually(Worker.objects.exists)

    known.note("perl", works=True)
    known.note("java", works=False)

    _eventually(lambda: Worker.objects.get().runtimes == ["perl", "python"])
    started.stop()


def test_worker_that_was_asked_to_stop_says_so(beating: Heartbeat, drain: Drain) -> None:
    _eventually(Worker.objects.exists)

    drain.ask()

    _eventually(lambda: Worker.objects.get().is_draining)


def test_database_that_is_away_is_told_of_once(
    drain: Drain, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[int] = []

    def fail(told: Announcement) -> None:
        tries.append(1)
        raise OperationalError("gone")

    monkeypatch.setattr(adapter, "announce_worker", fail)
    monkeypatch.setattr(heartbeat, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(heartbeat, "_TICK_S", 0.01)

    with capture_logs() as logs:
        started = Heartbeat(lambda: TOLD, drain, platform=DIRECT)
        started.start()
        _eventually(lambda: len(tries) >= 3)
        started.stop()

    assert [line["event"] for line in logs] == ["worker not announced"]


@pytest.mark.parametrize(
    "error",
    [InternalError("read-only"), ProgrammingError("no such table"), RuntimeError("anything")],
    ids=repr,
)
def test_heartbeat_outlives_any_error(
    error: Exception, drain: Drain, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [error] * 3

    def fail_at_first(told: Announcement) -> None:
        if left:
            raise left.pop()
        announce_worker(told)

    monkeypatch.setattr(adapter, "announce_worker", fail_at_first)
    monkeypatch.setattr(heartbeat, "HEARTBEAT_S", 0.01)
    monkeypatch.setattr(heartbeat, "_TICK_S", 0.01)

    with capture_logs() as logs:
        started = Heartbeat(lambda: TOLD, drain, platform=DIRECT)
        started.start()
        _eventually(Worker.objects.exists)
        started.stop()

    assert [line["event"] for line in logs] == ["worker not announced"]


class Silent(DirectPlatform):
    """A platform that does not answer."""

    def __init__(self) -> None:
        self.left_by = ""

    def note_draining(self, name: str) -> None:
        raise PlatformAway("cut")

    def leave_thread(self) -> None:
        self.left_by = threading.current_thread().name


def test_goodbye_that_nobody_hears_holds_no_worker_up(drain: Drain) -> None:
    platform = Silent()
    drain.ask()
    beats = Heartbeat(lambda: TOLD, drain, platform=platform)

    with capture_logs() as logs:
        beats.start()
        beats.wait()

    assert [line["event"] for line in logs] == ["worker not announced"]
    assert platform.left_by == "heartbeat"
