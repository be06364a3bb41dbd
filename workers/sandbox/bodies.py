"""What a bot consists of on the host: one process, or a control group full of them."""

from __future__ import annotations

import os
import resource
import select
import signal
from contextlib import suppress
from typing import Protocol

from pentathlon_engines.match.awake import awake_threads
from pentathlon_engines.match.launcher import Awake
from workers.sandbox.burden import (
    Burden,
    ScratchMeter,
    burden,
    family,
    family_burden,
    family_cpu_s,
    process_cpu_s,
)
from workers.sandbox.cgroups import Group


class Body(Protocol):
    """Everything of a bot that runs: measured, stopped and killed as a whole."""

    pid: int
    """The process that was started."""

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far; `OSError` when it has ended."""

    def total_cpu_s(self, reaped: resource.struct_rusage, *, starter_cpu_s: float) -> float:
        """Return the CPU seconds of a body that has ended; `reaped` includes its starter's."""

    def burden(self) -> Burden:
        """Return what it holds now; `OSError` when it cannot be seen or has ended."""

    def awake_threads(self) -> Awake:
        """Return what of it runs or is about to; empty when it has ended."""

    def pause(self) -> None:
        """Keep it from running; silent when it has ended."""

    def resume(self) -> None:
        """Let it run again; silent when it has ended."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for the end of the first process; say whether it has come."""

    def kill(self) -> None:
        """Kill all of it; silent when it has ended."""

    def scratch_bytes(self) -> int:
        """Return what its scratch folder holds, also after its end."""

    def keep_scratch(self) -> int:
        """Return a descriptor of the scratch folder; the caller closes it."""

    def lacks_scratch(self, size_bytes: int) -> bool:
        """Say whether the host has no room for a scratch folder of this size."""

    def close(self) -> None:
        """Let go of it once it has been reaped."""


class OneProcess:
    """A bot that cannot fork: what is known of its process is known of the bot."""

    def __init__(self, pid: int, scratch: ScratchMeter) -> None:
        self.pid = pid
        self._scratch = scratch
        self._handle = process_handle(pid)

    def cpu_s(self) -> float:
        """Return the CPU seconds over all threads."""
        return process_cpu_s(self.pid)

    def total_cpu_s(self, reaped: resource.struct_rusage, *, starter_cpu_s: float) -> float:
        """Return what the kernel charged when the process was reaped."""
        return reaped.ru_utime + reaped.ru_stime - starter_cpu_s

    def burden(self) -> Burden:
        """Return what the process holds now."""
        return burden(self.pid, self._scratch)

    def awake_threads(self) -> Awake:
        """Look at its threads."""
        return awake_threads([self.pid])

    def pause(self) -> None:
        """Stop it; atomic, because it is one process."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Continue it."""
        self._signal(signal.SIGCONT)

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end; without a handle, for the whole time."""
        handles = [self._handle] if self._handle >= 0 else []
        return bool(select.select(handles, [], [], timeout_s)[0])

    def kill(self) -> None:
        """Kill it; as the first process of its namespace it takes all others along."""
        self._signal(signal.SIGKILL)

    def scratch_bytes(self) -> int:
        """Return what the scratch folder holds."""
        return self._scratch.used()[1]

    def keep_scratch(self) -> int:
        """Return a descriptor of the scratch folder."""
        return self._scratch.keep()

    def lacks_scratch(self, size_bytes: int) -> bool:
        """Ask the scratch folder."""
        return self._scratch.lacks(size_bytes)

    def close(self) -> None:
        """Close the handle of the process."""
        if self._handle >= 0:
            os.close(self._handle)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            if self._handle >= 0:
                signal.pidfd_send_signal(self._handle, number)
            else:
                os.kill(self.pid, number)


class ManyProcesses(OneProcess):
    """A bot with children: only its control group knows them all, also those that have ended."""

    def __init__(self, pid: int, scratch: ScratchMeter, group: Group) -> None:
        super().__init__(pid, scratch)
        self._group = group

    def cpu_s(self) -> float:
        """Return the CPU seconds of all processes that ever were in the group."""
        return self._group.cpu_s()

    def total_cpu_s(self, reaped: resource.struct_rusage, *, starter_cpu_s: float) -> float:
        """Return the group's count: children that nobody waited for are not in `reaped`."""
        return self._group.cpu_s()

    def burden(self) -> Burden:
        """Return what all processes hold together."""
        files, bytes_used = self._scratch.used()
        return Burden(
            threads=self._group.tasks(),
            resident_bytes=max(0, self._group.memory_bytes() - bytes_used),
            scratch_files=files,
            scratch_bytes=bytes_used,
        )

    def awake_threads(self) -> Awake:
        """Look at the threads of all processes."""
        try:
            return awake_threads(self._group.processes())
        except OSError:
            return {}

    def pause(self) -> None:
        """Freeze the group: a signal would reach one process after the other."""
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


class Family(OneProcess):
    """A process and its descendants, counted one by one: for a build where there are no groups.

    What they use between two looks, and children that nobody waited for, go uncounted.
    """

    def cpu_s(self) -> float:
        """Return the CPU seconds of all that can be seen."""
        return family_cpu_s(self.pid)

    def awake_threads(self) -> Awake:
        """Look at the threads of all that can be seen."""
        return awake_threads(family(self.pid))

    def burden(self) -> Burden:
        """Return what all that can be seen hold together."""
        return family_burden(self.pid, self._scratch)


def process_handle(pid: int) -> int:
    """Return a descriptor that cannot come to mean another process; -1 on kernels without."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1
