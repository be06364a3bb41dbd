"""The processes of a bot, paused, measured and killed: one, a group of them, or a polled tree."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from workers.sandbox.resources import process_tree
from workers.sandbox.resources.process_tree import CgroupTree, PolledTree, SingleProcess

WAIT = "import sys; print('ready', flush=True); sys.stdin.read()"
BUSY = """
import sys, time
print('ready', flush=True)
while time.process_time() < 0.1: pass
sys.stdin.read()
"""
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}])"


@contextmanager
def running(source: str = WAIT) -> Iterator[int]:
    """Run a program until the end of the test; give its id when it is ready."""
    process = subprocess.Popen(
        [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def wait_for_state(pid: int, states: str) -> None:
    while state_of(pid) not in states:
        pass


@pytest.fixture(params=["pidfd", "no pidfd"])
def handles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with handles of processes, and as on a kernel without them."""
    if request.param == "no pidfd":
        monkeypatch.setattr(process_tree, "process_handle", lambda pid: -1)


@pytest.mark.usefixtures("handles")
def test_paused_process_stops_and_goes_on() -> None:
    with running() as pid:
        tree = SingleProcess(pid)

        tree.pause()
        wait_for_state(pid, "T")
        assert tree.awake_threads() == {}

        tree.resume()
        wait_for_state(pid, "SR")
        tree.close()


@pytest.mark.usefixtures("handles")
def test_dead_process_is_left_alone() -> None:
    with running() as pid:
        tree = SingleProcess(pid)
        tree.kill()
        tree.wait(0.1)
    tree.pause()
    tree.resume()
    tree.kill()
    tree.close()


def test_end_of_a_process_is_seen_at_once() -> None:
    with running() as pid:
        tree = SingleProcess(pid)
        assert not tree.wait(0)
        tree.kill()

        assert tree.wait(PATIENCE_S)
        tree.close()


def test_polled_tree_counts_the_children() -> None:
    with running(PARENT) as pid:
        one, tree = SingleProcess(pid), PolledTree(pid)

        assert one.threads_and_bytes(scratch_bytes=0)[0] == 1
        assert tree.threads_and_bytes(scratch_bytes=0)[0] == 2
        # The kernel counts CPU time in ticks, so the child has used none at first.
        while not tree.cpu_s() > 0:
            pass
        one.close()
        tree.close()


class FakeGroup:
    """A control group in which three tasks hold 10 MiB; it writes down what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def tasks(self) -> int:
        return 3

    def memory_bytes(self) -> int:
        return 10 << 20

    def cpu_s(self) -> float:
        return 1.5

    def processes(self) -> set[int]:
        raise OSError("it is gone")

    def __getattr__(self, name: str) -> object:
        return lambda: self.asked.append(name)


@pytest.fixture
def group() -> FakeGroup:
    return FakeGroup()


def in_group(pid: int, group: FakeGroup) -> CgroupTree:
    return CgroupTree(pid, group)  # type: ignore[arg-type]  # a fake


def test_memory_of_a_group_counts_without_the_scratch_folder(group: FakeGroup) -> None:
    with running() as pid:
        tree = in_group(pid, group)

        assert tree.threads_and_bytes(scratch_bytes=4 << 20) == (3, 6 << 20)
        assert tree.threads_and_bytes(scratch_bytes=11 << 20) == (3, 0)
        tree.close()


def test_time_of_a_group_is_the_kernels_count(group: FakeGroup) -> None:
    reaped = resource.getrusage(resource.RUSAGE_SELF)
    with running() as pid:
        tree = in_group(pid, group)

        assert (tree.cpu_s(), tree.total_cpu_s(reaped, starter_cpu_s=0.0)) == (1.5, 1.5)
        tree.close()


def test_group_is_paused_as_one_and_thawed_to_die(group: FakeGroup) -> None:
    with running() as pid:
        tree = in_group(pid, group)
        tree.pause()
        tree.kill()

        assert group.asked == ["freeze", "kill", "thaw"]
        assert tree.wait(PATIENCE_S), "its first process is killed by signal, too"
        tree.close()


def test_group_that_is_gone_has_nothing_awake(group: FakeGroup) -> None:
    with running() as pid:
        tree = in_group(pid, group)

        assert tree.awake_threads() == {}
        tree.close()


def test_time_of_a_single_process_is_what_was_reaped_but_its_starters() -> None:
    own = resource.getrusage(resource.RUSAGE_SELF)
    tree = SingleProcess(os.getpid())

    total = tree.total_cpu_s(own, starter_cpu_s=0.25)

    assert total == own.ru_utime + own.ru_stime - 0.25
    tree.close()
