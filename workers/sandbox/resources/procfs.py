"""Reads /proc and the kernel's clocks about running processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_TIMES_FIELDS = slice(11, 15)
"""The fields with CPU times in /proc/PID/stat, counted after the program's name."""
_THREADS = b"\nThreads:"
_HELD = (b"\nVmRSS:", b"\nVmPTE:", b"\nVmSwap:")
"""Lines of /proc/PID/status in KiB: resident pages, page tables, swapped pages."""


def process_cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process over all threads; raise `OSError` when it is gone."""
    return time.clock_gettime(cpu_clock(pid))


def cpu_clock(pid: int) -> int:
    """Return the CPU clock of another process, as clock_getcpuclockid(3) computes it."""
    return (~pid << 3) | 2


def threads_and_bytes(pid: int) -> tuple[int, int]:
    """Return the number of threads of a process and the bytes of memory that it holds.

    Raises:
        OSError: the process is gone, or may not be looked at.
    """
    status = Path(f"/proc/{pid}/status").read_bytes()
    threads = _number(status, _THREADS)
    if _HELD[0] not in status:
        # The first thread has ended. Any other one shows the memory that all threads share.
        status = _status_of_living_thread(pid)
    return threads, 1024 * sum(_number(status, line) for line in _HELD)


def tree_pids(pid: int) -> Iterator[int]:
    """Yield a process and all its descendants, while they can be seen."""
    yield pid
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in path.read_text().split():
                yield from tree_pids(int(child))


def tree_cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process, its descendants, and those they have waited for."""
    ticks = 0
    for each in tree_pids(pid):
        with suppress(OSError):
            ticks += sum(int(field) for field in _stat_fields(each)[_TIMES_FIELDS])
    return ticks / _TICKS_PER_S


def tree_threads_and_bytes(pid: int) -> tuple[int, int]:
    """Return the threads and the memory of a process and all its descendants together."""
    threads = held_bytes = 0
    for each in tree_pids(pid):
        with suppress(OSError):
            more_threads, more_bytes = threads_and_bytes(each)
            threads += more_threads
            held_bytes += more_bytes
    return threads, held_bytes


def has_ended(pid: int) -> bool:
    """Return whether a process is a zombie or gone."""
    try:
        return _stat_fields(pid)[0] == b"Z"
    except OSError:
        return True


def _stat_fields(pid: int) -> list[bytes]:
    """Return the fields of /proc/PID/stat after the name, which may itself contain brackets."""
    return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()


def _status_of_living_thread(pid: int) -> bytes:
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            status = (thread / "status").read_bytes()
            if _HELD[0] in status:
                return status
    return b""


def _number(status: bytes, line: bytes) -> int:
    """Return the number in a line; 0 when this process or kernel has no such line.

    The name of the program, in the first line, cannot forge a line: the kernel escapes newlines.
    """
    at = status.find(line)
    return int(status[at + len(line) :].split(None, 1)[0]) if at >= 0 else 0
