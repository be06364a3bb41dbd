"""Find the threads of a process that are awake, in the files of `/proc`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from pentathlon_engines.match.launcher import Awake, AwakeThread

_DISK: Final = b"D"
_AWAKE: Final = (b"R", _DISK)
_SLEEPS: Final = b"\nvoluntary_ctxt_switches:"
_MOST_BYTES: Final = 8192


def awake_threads(processes: Iterable[int]) -> Awake:
    """Return the awake threads of these processes; invisible ones do not count.

    All threads are examined, because a process whose first thread has ended only looks dead. With
    several processes, threads that wait for the disk are left out: a process that starts another
    one seems to wait for the disk until that one runs.
    """
    processes = list(processes)
    found: dict[int, AwakeThread] = {}
    for process in processes:
        folder = f"/proc/{process}/task"
        try:
            threads = os.listdir(folder)  # noqa: PTH208  # at every look, and five times as fast
        except OSError:
            continue
        for name in threads:
            thread = _look_at(f"{folder}/{name}")
            if thread is not None and not (thread.is_on_disk and len(processes) > 1):
                found[int(name)] = thread
    return found


def _look_at(folder: str) -> AwakeThread | None:
    """Return the thread with this folder, or None if it sleeps or has ended."""
    try:
        state = _read(f"{folder}/stat").rpartition(b")")[2][1:2]
        if state not in _AWAKE:
            return None
        count = _read(f"{folder}/status").partition(_SLEEPS)[2]
    except OSError:
        return None
    # Some kernels do not tell how often a thread has slept; then it counts as awake.
    return AwakeThread(int(count.partition(b"\n")[0] or 0), state == _DISK)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
