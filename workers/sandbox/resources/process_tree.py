"""All processes of one bot, seen from the host: one process, a control group, or a polled tree.

The first process of a bot with children is process 1 of its namespace, so its status, its time and
its end are the bot's. The price is that it must reap orphans, which count as tasks until then.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Protocol

from pentathlon_engines.match.launcher import NOBODY, Awake
from pentathlon_engines.match.wall_clock import awake_threads
from workers.sandbox.resources.cgroups import Group
from workers.sandbox.resources.procfs import (
    cpu_clock,
    threads_and_bytes,
    tree_cpu_s,
    tree_pids,
    tree_threads_and_bytes,
)


class ProcessTree(Protocol):
    """Every process of a bot, measured, paused and killed as a whole."""

    pid: int
    """The id of the process that was started."""

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far; raise `OSError` when the bot has ended."""

    def total_cpu_s(self, reaped: resource.struct_rusage, *, starter_cpu_s: float) -> float:
        """Return the CPU seconds of a tree that has ended; `reaped` includes its starter's."""

    def threads_and_bytes(self, *, scratch_bytes: int) -> tuple[int, int]:
        """Return the bot's threads and memory, without the scratch folder's `scratch_bytes`.

        Raises:
            OSError: the bot has ended, or may not be looked at.
        """

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Return the threads that run or are about to; empty when the bot has ended."""

    def pause(self) -> None:
        """Keep the bot from running; do nothing when it has ended."""

    def resume(self) -> None:
        """Let the bot run again; do nothing when it has ended."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the first process; return whether it has come."""

    def kill(self) -> None:
        """Kill every process; do nothing when the bot has ended."""

    def close(self) -> None:
        """Close the handle of a tree that has been reaped."""


class SingleProcess:
    """A bot that cannot fork, so its one process accounts for all of it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = process_handle(pid)
        # Bound once, because a turn reads the clock twice and sends two signals.
        self.cpu_s: Callable[[], float] = partial(time.clock_gettime, cpu_clock(pid))
        self._send = (
            partial(signal.pidfd_send_signal, self._handle)
            if self._handle >= 0
            else partial(os.kill, pid)
        )

    def total_cpu_s(self, reaped: resource.struct_rusage, *, starter_cpu_s: float) -> float:
        """Return the CPU seconds that the kernel charged when the process was reaped."""
        return reaped.ru_utime + reaped.ru_stime - starter_cpu_s

    def threads_and_bytes(self, *, scratch_bytes: int) -> tuple[int, int]:
        """Return the numbers in /proc, which leave out the scratch folder."""
        return threads_and_bytes(self.pid)

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Look at the threads of the process."""
        return awake_threads([self.pid], known)

    def pause(self) -> None:
        """Stop the process; this is atomic, because there is only one."""
        # No `suppress` here and below: it would cost as much as the signal.
        try:
            self._send(signal.SIGSTOP)
        except ProcessLookupError:
            return

    def resume(self) -> None:
        """Continue the process."""
        try:
            self._send(signal.SIGCONT)
        except ProcessLookupError:
            return

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the process; without a handle, for the whole time."""
        handles = [self._handle] if self._handle >= 0 else []
        return bool(select.select(handles, [], [], timeout_s)[0])

    def kill(self) -> None:
        """Kill the process; the first one of a namespace takes all others along."""
        with suppress(ProcessLookupError):
            self._send(signal.SIGKILL)

    def close(self) -> None:
        """Close the handle of the process."""
        if self._handle >= 0:
            os.close(self._handle)


class CgroupTree(SingleProcess):
    """A bot with children, held in a control group that counts them all, dead ones included."""

    def __init__(self, pid: int, group: Group) -> None:
        super().__init__(pid)
        self._group = group
        # Of all processes that ever were in the group.
        self.cpu_s = group.cpu_s

    def total_cpu_s(self, reaped: resource.struct_rusage, *, starter_cpu_s: float) -> float:
        """Return the group's count: `reaped` lacks children that nobody waited for."""
        return self._group.cpu_s()

    def threads_and_bytes(self, *, scratch_bytes: int) -> tuple[int, int]:
        """Return the group's count, to which the kernel adds the files of the scratch folder."""
        return self._group.tasks(), max(0, self._group.memory_bytes() - scratch_bytes)

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Look at the threads of all processes."""
        try:
            return awake_threads(self._group.processes(), known)
        except OSError:
            return {}

    def pause(self) -> None:
        """Freeze the group, as a signal would reach one process after the other."""
        with suppress(OSError):
            self._group.freeze()

    def resume(self) -> None:
        """Thaw the group."""
        with suppress(OSError):
            self._group.thaw()

    def kill(self) -> None:
        """Kill the first process and all others; frozen ones die when they are thawed."""
        super().kill()
        with suppress(OSError):
            self._group.kill()
        self.resume()


class PolledTree(SingleProcess):
    """A process and its descendants, polled one by one: a build on a host without groups.

    It misses what processes use after the last poll, and children that nobody waited for. Polls
    come every 10 ms.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(pid)
        self.cpu_s = partial(tree_cpu_s, pid)

    def threads_and_bytes(self, *, scratch_bytes: int) -> tuple[int, int]:
        """Return the numbers in /proc of every process that can be seen."""
        return tree_threads_and_bytes(self.pid)

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Look at the threads of every process that can be seen."""
        return awake_threads(tree_pids(self.pid), known)


def process_handle(pid: int) -> int:
    """Return a descriptor that can never mean another process; -1 if the kernel has none."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1
