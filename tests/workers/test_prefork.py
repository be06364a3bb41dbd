"""A worker without Celery keeps a process for each slot. No process is started here."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable

import pytest

from workers import prefork
from workers.drain import Drain
from workers.prefork import TOKEN_REFUSED, Prefork

_GRACE_S = 2.0
_LONGEST_S = 60.0
_CRASHED = 1


class Exited(BaseException):
    """The end of the process that calls `_exit`."""

    def __init__(self, code: int) -> None:
        self.code = code


class Host:
    """Stands for the modules `os`, `signal` and `time`; time passes while somebody sleeps."""

    WNOHANG, SIGTERM, SIGINT, SIGKILL = os.WNOHANG, signal.SIGTERM, signal.SIGINT, signal.SIGKILL
    waitstatus_to_exitcode = staticmethod(os.waitstatus_to_exitcode)

    def __init__(self) -> None:
        self.now = 1000.0
        self.plans: dict[float, Callable[[], object]] = {}
        self.started: list[float] = []
        self.killed: list[tuple[int, int]] = []
        self.refuses_forks = False
        self.is_child = False
        self._ended: list[tuple[int, int]] = []

    def after(self, seconds: float, what: Callable[[], object]) -> None:
        """Let something happen at that time."""
        self.plans[self.now + seconds] = what

    def end(self, *pids: int, code: int = 0) -> None:
        """End children."""
        self._ended += [(pid, code << 8) for pid in pids]

    def fork(self) -> int:
        if self.refuses_forks:
            raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")
        self.started.append(self.now)
        return 0 if self.is_child else len(self.started)

    def waitpid(self, _: int, __: int) -> tuple[int, int]:
        return self._ended.pop(0) if self._ended else (0, 0)

    def kill(self, pid: int, number: int) -> None:
        self.killed.append((pid, number))

    def _exit(self, code: int) -> None:
        raise Exited(code)

    def signal(self, number: int, handler: Callable[..., object]) -> None:
        """Leave the signals of the test alone."""

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        assert self.now < 1000.0 + _LONGEST_S, "the worker never ends"
        for due in [due for due in self.plans if due <= self.now]:
            self.plans.pop(due)()


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host()
    for name in ("os", "signal", "time"):
        monkeypatch.setattr(prefork, name, host)
    return host


@pytest.fixture
def drain() -> Drain:
    return Drain(grace_s=_GRACE_S)


def forked(drain: Drain, *, slots: int = 1, work: Callable[[int], int] = int) -> Prefork:
    return Prefork(work, slots=slots, drain=drain, grace_s=_GRACE_S)


def test_each_slot_gets_a_process(host: Host, drain: Drain) -> None:
    host.after(0.0, drain.ask)
    host.after(1.0, lambda: host.end(1, 2, 3))

    assert forked(drain, slots=3).run() == 0

    assert len(host.started) == 3


def test_slot_that_has_done_its_share_is_started_again_at_once(host: Host, drain: Drain) -> None:
    host.after(2.0, lambda: host.end(1))
    host.after(4.0, drain.ask)

    forked(drain).run()

    first, second = host.started
    assert 2.0 <= second - first < 2.5


def test_slot_that_crashes_is_started_again_after_a_pause(host: Host, drain: Drain) -> None:
    host.after(2.0, lambda: host.end(1, code=_CRASHED))
    host.after(6.0, drain.ask)

    assert forked(drain).run() == 0

    first, second = host.started
    assert 3.0 <= second - first < 3.5


def test_refused_token_ends_all_slots(host: Host, drain: Drain) -> None:
    host.after(1.0, lambda: host.end(2, code=TOKEN_REFUSED))
    host.after(2.0, lambda: host.end(1))

    assert forked(drain, slots=2).run() == TOKEN_REFUSED

    assert drain.is_asked
    assert len(host.started) == 2


def test_child_of_somebody_else_is_no_slot(host: Host, drain: Drain) -> None:
    host.after(1.0, lambda: host.end(77, code=TOKEN_REFUSED))
    host.after(2.0, drain.ask)
    host.after(3.0, lambda: host.end(1))

    assert forked(drain).run() == 0


def test_slot_that_outlasts_the_grace_is_killed(host: Host, drain: Drain) -> None:
    host.after(1.0, drain.ask)
    host.after(2.0, lambda: host.end(1))

    forked(drain, slots=2).run()

    assert host.killed == [(2, signal.SIGKILL)]
    assert host.now > 1000.0 + 1.0 + _GRACE_S


def test_host_without_room_for_a_process_is_asked_again(host: Host, drain: Drain) -> None:
    host.refuses_forks = True
    host.after(3.0, lambda: setattr(host, "refuses_forks", False))
    host.after(6.0, drain.ask)

    forked(drain, slots=2).run()

    assert len(host.started) == 2
    assert min(host.started) >= 1003.0


def _crash(_: int) -> int:
    raise RuntimeError("a bug in a slot")


@pytest.mark.parametrize(
    ("work", "code"),
    [
        pytest.param(lambda _: 0, 0, id="done"),
        pytest.param(lambda _: TOKEN_REFUSED, TOKEN_REFUSED, id="refused"),
        pytest.param(_crash, _CRASHED, id="crashed"),
    ],
)
def test_process_of_a_slot_ends_with_the_code_of_its_work(
    work: Callable[[int], int], code: int, host: Host, drain: Drain
) -> None:
    host.is_child = True

    with pytest.raises(Exited) as ended:
        forked(drain, work=work).run()

    assert ended.value.code == code
