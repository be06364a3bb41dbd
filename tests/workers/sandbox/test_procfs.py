"""What /proc tells about processes, dead leaders and reaped children included."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workers.sandbox.resources.procfs import (
    has_ended,
    process_cpu_s,
    threads_and_bytes,
    tree_cpu_s,
    tree_pids,
    tree_threads_and_bytes,
)

MEBIBYTE = 1 << 20
READY = "print('ready', flush=True)\n"
WAIT = READY + "import sys; sys.stdin.read()\n"
HOLDS_32_MIB = "held = b'x' * (32 << 20)\n"
# The system call ends this thread only, which leaves the others without their leader.
LEADER_ENDS = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
print('ready', flush=True)
ctypes.CDLL(None).syscall({exit}, 0)
"""
EXIT = {"x86_64": 60, "aarch64": 93}.get(os.uname().machine)
HAS_A_CHILD = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {HOLDS_32_MIB + WAIT!r}])
"""
WAITED_FOR_A_BURNER = f"""
import subprocess, sys
burn = "import time\\nwhile time.process_time() < 0.2: pass"
subprocess.run([sys.executable, "-c", burn])
{WAIT}
"""


@contextmanager
def running(source: str) -> Iterator[int]:
    """Run a program; give its process id once it, or its child, has said that it is ready."""
    with subprocess.Popen(
        [sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process.pid
        process.kill()


def test_memory_and_threads_of_a_process_are_counted() -> None:
    with running(HOLDS_32_MIB + WAIT) as pid:
        threads, held_bytes = threads_and_bytes(pid)

    assert threads == 1
    assert 32 * MEBIBYTE < held_bytes < 128 * MEBIBYTE


@pytest.mark.skipif(EXIT is None, reason="the number of exit is not known here")
def test_process_without_its_first_thread_still_shows_its_memory() -> None:
    with running(HOLDS_32_MIB + LEADER_ENDS.format(exit=EXIT)) as pid:
        leader = Path(f"/proc/{pid}/task/{pid}/stat")
        while ") Z" not in leader.read_text():
            pass
        _, held_bytes = threads_and_bytes(pid)

    assert held_bytes > 32 * MEBIBYTE


def test_process_that_is_gone_is_an_error() -> None:
    with running(WAIT) as pid:
        pass

    with pytest.raises(OSError, match=str(pid)):
        threads_and_bytes(pid)
    with pytest.raises(OSError, match="Invalid argument"):
        process_cpu_s(pid)


def test_tree_holds_what_its_members_hold() -> None:
    with running(HAS_A_CHILD) as pid:
        members = list(tree_pids(pid))
        alone, together = threads_and_bytes(pid), tree_threads_and_bytes(pid)

    assert members[0] == pid
    assert len(members) == 2
    assert together[1] > alone[1] + 32 * MEBIBYTE


def test_time_of_a_child_that_was_waited_for_stays_in_the_tree() -> None:
    with running(WAITED_FOR_A_BURNER) as pid:
        # /proc counts in ticks of 10 ms, and cuts user and system time off apart.
        assert tree_cpu_s(pid) >= 0.2 - 0.04
        assert process_cpu_s(pid) < tree_cpu_s(pid)


def test_zombie_has_ended_before_it_is_reaped() -> None:
    process = subprocess.Popen([sys.executable, "-c", WAIT], stdin=subprocess.PIPE)
    assert not has_ended(process.pid)

    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)

    assert has_ended(process.pid)
    process.communicate()
    assert has_ended(process.pid)
