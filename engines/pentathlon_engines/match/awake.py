"""Which threads of a process are awake, as the kernel shows it to everybody."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from pentathlon_engines.match.launcher import ON_DISK, Awake

_RUNNABLE: Final = b"R"
_DISK: Final = b"D"
_SLEEPS: Final = b"\nvoluntary_ctxt_switches:"
_MOST_BYTES: Final = 8192


def awake_threads(processes: Iterable[int]) -> Awake:
    """Return the threads of these processes that are awake; what cannot be seen is not.

    All threads are looked at: once the first one has ended, a process looks dead that is not. Of
    several processes none waits for the disk: one that starts another seems to until that runs.
    """
    processes = list(processes)
    found: dict[int, int] = {}
    for process in processes:
        folder = f"/proc/{process}/task"
        try:
            threads = os.listdir(folder)  # noqa: PTH208  # at every look, and five times as fast
        except OSError:
            continue
        for thread in threads:
            sleeps = _sleeps(f"{folder}/{thread}")
            if sleeps is not None and (sleeps != ON_DISK or len(processes) == 1):
                found[int(thread)] = sleeps
    return found


def _sleeps(folder: str) -> int | None:
    """Return how often an awake thread has gone to sleep, or that it waits for the disk."""
    try:
        state = _read(f"{folder}/stat").rpartition(b")")[2][1:2]
        if state == _DISK:
            return ON_DISK
        if state != _RUNNABLE:
            return None
        count = _read(f"{folder}/status").partition(_SLEEPS)[2]
    except OSError:
        return None
    # Some kernels do not tell; then it counts as awake.
    return int(count.partition(b"\n")[0] or 0)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
