"""What two looks at a bot say, and what the wall clock makes of them."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pentathlon_engines.match.launcher import Awake, AwakeThread
from pentathlon_engines.match.wall_clock import (
    Found,
    WallClock,
    awake_threads,
    compare,
    kept_waiting,
    time_to_look_s,
)
from tests.patience import PATIENCE_S


def runs(sleeps: int) -> AwakeThread:
    return AwakeThread(sleeps=sleeps, is_on_disk=False)


def reads(sleeps: int) -> AwakeThread:
    return AwakeThread(sleeps=sleeps, is_on_disk=True)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        pytest.param({1: runs(5)}, {1: runs(5)}, Found.AWAKE, id="never slept"),
        pytest.param({1: runs(5)}, {1: runs(6)}, Found.ASLEEP, id="slept in between"),
        pytest.param({1: runs(5)}, {2: runs(5)}, Found.ASLEEP, id="another thread woke up"),
        pytest.param(
            {1: runs(5), 2: runs(9)}, {1: runs(6), 2: runs(9)}, Found.AWAKE, id="one never slept"
        ),
        pytest.param({1: runs(5)}, {}, Found.ASLEEP, id="asleep by now"),
        pytest.param({1: reads(5)}, {1: reads(5)}, Found.ON_DISK, id="one wait for the disk"),
        pytest.param({1: reads(5)}, {1: runs(5)}, Found.ON_DISK, id="that wait is over"),
        pytest.param({1: reads(5)}, {1: reads(6)}, Found.ASLEEP, id="another wait"),
        pytest.param({1: reads(5)}, {1: runs(6)}, Found.ASLEEP, id="back from another wait"),
        pytest.param({1: runs(5)}, {1: reads(6)}, Found.ASLEEP, id="a wait has begun"),
        pytest.param(
            {1: reads(5), 2: reads(7)},
            {1: reads(5), 2: reads(8)},
            Found.ASLEEP,
            id="one of several that wait in turn",
        ),
        pytest.param(
            {1: reads(5)}, {1: reads(5), 2: reads(8)}, Found.ASLEEP, id="a second one waits"
        ),
        pytest.param(
            {1: reads(5), 2: runs(3)}, {1: reads(6), 2: runs(3)}, Found.AWAKE, id="the other runs"
        ),
    ],
)
def test_awake_is_who_has_not_slept_between_two_looks(
    before: Awake, after: Awake, found: Found
) -> None:
    assert compare(before, after) is found


def woken(sleeps: int, *, waited_s: float, is_awake: bool = True) -> AwakeThread:
    return AwakeThread(sleeps, is_on_disk=False, waited_s=waited_s, is_awake=is_awake)


@pytest.mark.parametrize(
    ("before", "after", "is_kept_waiting"),
    [
        pytest.param({1: runs(0)}, {}, True, id="a new thread that has ended"),
        pytest.param({1: runs(0)}, {2: runs(0)}, True, id="one new thread after the other"),
        pytest.param({1: runs(5)}, {2: runs(0)}, False, id="a new thread after a nap"),
        pytest.param({1: reads(0)}, {}, False, id="a new thread at the disk"),
        pytest.param(
            {1: woken(5, waited_s=1.0)},
            {1: woken(6, waited_s=1.02, is_awake=False)},
            True,
            id="waited for long, ran and slept",
        ),
        pytest.param(
            {1: woken(5, waited_s=1.0)},
            {1: woken(6, waited_s=1.0004, is_awake=False)},
            False,
            id="woke while we looked",
        ),
        pytest.param({}, {1: runs(0)}, False, id="nobody was awake"),
    ],
)
def test_bot_whose_work_passes_from_thread_to_thread_is_kept_waiting(
    before: Awake, after: Awake, is_kept_waiting: bool
) -> None:
    assert kept_waiting(before, after) is is_kept_waiting


def test_sleeping_thread_is_not_awake_from_one_look_to_the_next() -> None:
    asleep = {1: woken(5, waited_s=0.0, is_awake=False)}

    assert compare({1: runs(5)}, asleep) is Found.ASLEEP


def test_late_look_counts_only_what_was_due() -> None:
    clock = WallClock(now=10.0, cpu_s=1.0)

    clock.note(now=70.0, cpu_s=1.01, due=10.02, found=Found.ASLEEP)

    assert clock.elapsed_s == pytest.approx(0.02)
    assert clock.slept_s == pytest.approx(0.01)


def test_sleep_never_exceeds_what_the_cpu_clock_leaves() -> None:
    clock = WallClock(now=0.0, cpu_s=0.0)

    clock.note(now=0.02, cpu_s=0.015, due=0.02, found=Found.ASLEEP)
    clock.note(now=0.04, cpu_s=0.015, due=0.04, found=Found.AWAKE)

    assert clock.slept_s == pytest.approx(0.02)
    assert clock.ran_s == pytest.approx(0.015)
    assert clock.waited_s == pytest.approx(0.005)


def test_several_cores_count_as_one_on_the_wall() -> None:
    clock = WallClock(now=0.0, cpu_s=0.0)

    clock.note(now=0.1, cpu_s=0.4, due=0.1, found=Found.AWAKE)
    clock.note(now=0.2, cpu_s=0.4, due=0.2, found=Found.ASLEEP)

    assert clock.ran_s == pytest.approx(0.1)
    assert clock.slept_s == pytest.approx(0.1)


def test_looks_cannot_be_foretold() -> None:
    times = [time_to_look_s() for _ in range(1000)]

    assert len(set(times)) == 1000
    assert sum(times) / 1000 == pytest.approx(0.02, rel=0.1)


class TestThreads:
    def test_sleeping_process_has_no_awake_thread(self) -> None:
        with _running("sleep", "600") as pid:
            _until(lambda: not awake_threads([pid]))

    def test_spinning_process_is_awake_and_never_sleeps(self) -> None:
        with _running(sys.executable, "-c", "while True: pass") as pid:
            _until(lambda: pid in awake_threads([pid]))
            _until(lambda: _stays_awake(pid))

    def test_process_without_its_first_thread_is_seen(self) -> None:
        source = (
            "import ctypes, threading\n"
            "def spin():\n    while True: pass\n"
            "threading.Thread(target=spin).start()\n"
            "ctypes.CDLL(None).pthread_exit(None)\n"
        )
        with _running(sys.executable, "-c", source) as pid:
            _until(lambda: b") Z" in _stat(pid))
            _until(lambda: awake_threads([pid]))
            assert pid not in awake_threads([pid])

    def test_known_thread_is_seen_asleep_and_has_waited(self) -> None:
        with _running("sleep", "600") as pid:
            _until(lambda: not awake_threads([pid]))

            thread = awake_threads([pid], {pid: runs(1)})[pid]

        assert not thread.is_awake
        assert thread.waited_s >= 0

    def test_process_that_is_gone_sleeps(self) -> None:
        with subprocess.Popen(["true"]) as gone:
            gone.wait()

        assert awake_threads([gone.pid]) == {}

    def test_own_thread_that_looks_is_awake(self) -> None:
        assert threading.get_native_id() in awake_threads([os.getpid()])

    def test_one_of_several_processes_is_never_at_the_disk(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        stat = b"1 (x) D 1\nvoluntary_ctxt_switches:\t7\n"
        # The same text stands in for every file.
        monkeypatch.setattr("pentathlon_engines.match.wall_clock._waited_s", lambda _: 0.0)
        monkeypatch.setattr("pentathlon_engines.match.wall_clock._read", lambda _: stat)

        assert set(awake_threads([os.getpid()]).values()) == {reads(7)}
        assert awake_threads([os.getpid(), os.getppid()]) == {}


@contextmanager
def _running(*command: str) -> Iterator[int]:
    """Run a program that would never end; give its process id."""
    with subprocess.Popen(command) as process:
        try:
            yield process.pid
        finally:
            process.kill()


def _stays_awake(pid: int) -> bool:
    before = awake_threads([pid])
    time.sleep(0.001)
    return compare(before, awake_threads([pid])) is Found.AWAKE


def _stat(pid: int) -> bytes:
    return Path(f"/proc/{pid}/stat").read_bytes()


def _until(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline
