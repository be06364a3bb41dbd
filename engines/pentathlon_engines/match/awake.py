"""Find the threads of a process that are awake, in the files of `/proc`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from pentathlon_engines.match.launcher import NOBODY, Awake, AwakeThread

_DISK: Final = b"D"
_AWAKE: Final = (b"R", _DISK)
_SLEEPS: Final = b"\nvoluntary_ctxt_switches:"
_MOST_BYTES: Final = 8192
_NANOSECONDS: Final = 1_000_000_000


def awake_threads(processes: Iterable[int], known: Awake = NOBODY) -> Awake:
    """Return the awake threads of these processes; invisible ones do not count.

    Threads that are `known` are returned even if they sleep by now.

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
            thread = _look_at(f"{folder}/{name}", is_known=int(name) in known)
            if thread is not None and not (thread.is_on_disk and len(processes) > 1):
                found[int(name)] = thread
    return found


def _look_at(folder: str, *, is_known: bool) -> AwakeThread | None:
    """Return the thread with this folder, or None if it has ended or sleeps unknown."""
    try:
        state = _read(f"{folder}/stat").rpartition(b")")[2][1:2]
        if state not in _AWAKE and not is_known:
            return None
        count = _read(f"{folder}/status").partition(_SLEEPS)[2]
    except OSError:
        return None
    # Some kernels do not tell how often a thread has slept; then it counts as awake.
    sleeps = int(count.partition(b"\n")[0] or 0)
    return AwakeThread(sleeps, state == _DISK, _waited_s(folder), state in _AWAKE)


def _waited_s(folder: str) -> float:
    """Return how long a thread has waited for the CPU; 0 if the kernel does not tell."""
    try:
        return int(_read(f"{folder}/schedstat").split()[1]) / _NANOSECONDS
    except (OSError, IndexError, ValueError):
        return 0.0


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
