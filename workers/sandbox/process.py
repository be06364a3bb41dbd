"""A running bot in a sandbox: its clock, its pause, its watchdog and its end."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import replace

from pentathlon_engines.match.launcher import (
    Awake,
    Breach,
    EndedFromOutside,
    LaunchFailed,
    Usage,
)
from pentathlon_engines.match.limits import Limits
from workers.sandbox.bodies import Body, process_handle
from workers.sandbox.burden import Burden, process_cpu_s
from workers.sandbox.cgroups import Group
from workers.sandbox.errors import HostDiskFull
from workers.sandbox.rlimits import MEBIBYTE, most_cpu_s
from workers.sandbox.verdicts import (
    Traces,
    breach_of,
    explain_end,
    killed_for_memory,
    too_much_cpu,
)

_LONGEST_END_S = 5.0
_EXITED_BY_SIGNAL = 128


class SandboxedBot:
    """One bot; `body` is the bot itself, `child` the process that we must reap.

    In namespaces the child is bubblewrap, which passes on the bot's exit status and CPU time.
    """

    def __init__(
        self,
        *,
        child: subprocess.Popen[bytes],
        body: Body,
        limits: Limits,
        group: Group | None = None,
        seat: int = 0,
    ) -> None:
        if child.stdin is None or child.stdout is None or child.stderr is None:
            raise LaunchFailed("a bot needs three pipes; start it with stdin, stdout and stderr")
        self._pipes = (child.stdin, child.stdout, child.stderr)
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        self.pid = body.pid
        self._body = body
        self._child = child
        self._limits = limits
        self._seat = seat
        self._is_first_of_namespace = child.pid != body.pid
        self._was_ended = False
        """Whether something outside of the sandbox has ended it; never this object."""
        self.group = group
        """Its control group, if it has one."""
        self._undo = ExitStack()
        self._started = time.monotonic()
        # What was used before the bot's own program began is ours.
        self._overhead_cpu_s = body.cpu_s()
        self._starter_cpu_s = 0.0 if child.pid == body.pid else process_cpu_s(child.pid)
        self._cpu_s = 0.0
        self._resident_bytes = 0
        # A child starts as a copy of the worker, whose size its peak then includes.
        self._worker_peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self._traces = Traces()
        self._usage: Usage | None = None

    def when_stopped(self, undo: ExitStack) -> None:
        """Have `undo` closed when the bot has been stopped."""
        self._undo = undo

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far, over all threads and processes."""
        if self._usage is None:
            # No `suppress` here: it would cost more than the look at the clock.
            try:
                self._cpu_s = self._body.cpu_s() - self._overhead_cpu_s
            except OSError:
                return self._cpu_s
        return self._cpu_s

    def awake_threads(self) -> Awake:
        """Return what of the bot runs or is about to."""
        return {} if self._usage is not None else self._body.awake_threads()

    def pause(self) -> None:
        """Stop the bot from running."""
        if self._usage is None:
            self._body.pause()

    def resume(self) -> None:
        """Let a paused bot run again."""
        if self._usage is None:
            self._body.resume()

    def breach(self) -> Breach | None:
        """Return the limit that the bot has broken by now, or None."""
        if self._usage is not None:
            return None
        if self.cpu_s() > most_cpu_s(self._limits):
            return too_much_cpu(self._cpu_s, self._limits)
        # The process may end at any moment; then its end is what counts.
        with suppress(OSError):
            if breach := breach_of(self.burden(), self._limits):
                return breach
            # It may go on after the kernel has killed a child of it.
            if self.group is not None and self.group.memory_kills():
                return killed_for_memory(self._limits)
        return None

    def burden(self) -> Burden:
        """Return what the bot holds now; `OSError` when it cannot be seen or has ended."""
        now = self._body.burden()
        self._resident_bytes = max(self._resident_bytes, now.resident_bytes)
        return now

    def wait(self, timeout_s: float) -> bool:
        """Wait until the bot's first process has ended; say whether it has."""
        return self._body.wait(timeout_s)

    def keep_scratch(self) -> int:
        """Return a descriptor of the bot's scratch folder; the caller closes it.

        In namespaces what lies there can be read even when the bot has been stopped.
        """
        return self._body.keep_scratch()

    def stop(self) -> Usage:
        """Kill the bot, reap it and close the pipes; idempotent."""
        if self._usage is None:
            had_ended = self._body.wait(0)
            self.pause()
            cpu_s = self.cpu_s()
            self._body.kill()
            status, used = self._reap()
            # The kernel lets the first process of a namespace do nothing that kills it like this,
            # nor anything else inside; and the filter refuses the exit status that looks alike.
            if self._is_first_of_namespace and had_ended and status == -signal.SIGKILL:
                self._was_ended = True
            self._traces = self._find_traces()
            self._usage = Usage(
                cpu_s=max(cpu_s, self._total_cpu_s(used)),
                wall_s=time.monotonic() - self._started,
                memory_peak_mb=self._peak_bytes(used.ru_maxrss) / MEBIBYTE,
                exit_status=status,
            )
            self._close()
        return self._usage

    def verdict(self, usage: Usage) -> Breach | None:
        """Say which limit explains this end, or None for a crash.

        Raises:
            HostDiskFull: it may have ended because the host had no room for its files.
            EndedFromOutside: it, or a child of it, was killed by somebody on the host.
        """
        breach = explain_end(usage, self._limits, self._traces)
        if breach is None and (self._was_ended or self._traces.killed_by_host):
            raise EndedFromOutside(seat=self._seat)
        if breach is None and self._traces.host_full:
            raise HostDiskFull(promised_mb=self._limits.scratch_mb)
        return breach

    def _reap(self) -> tuple[int, resource.struct_rusage]:
        """Wait for the child; one that does not follow its killed bot is killed too."""
        is_ours = False
        handle = process_handle(self._child.pid)
        if handle >= 0:
            if not select.select([handle], [], [], _LONGEST_END_S)[0]:
                is_ours = True
                os.kill(self._child.pid, signal.SIGKILL)
            os.close(handle)
        _, raw, used = os.wait4(self._child.pid, 0)
        status = os.waitstatus_to_exitcode(raw)
        # Otherwise Popen would wait for it again.
        self._child.returncode = status
        if self._is_first_of_namespace:
            # No bot reaches its starter.
            self._was_ended = status < 0 and not is_ours
            if status > _EXITED_BY_SIGNAL:
                status = _EXITED_BY_SIGNAL - status
        return status, used

    def _total_cpu_s(self, reaped: resource.struct_rusage) -> float:
        with suppress(OSError):
            total_s = self._body.total_cpu_s(reaped, starter_cpu_s=self._starter_cpu_s)
            return total_s - self._overhead_cpu_s
        return 0.0

    def _find_traces(self) -> Traces:
        group, traces = self.group, Traces()
        # What cannot be read any more must not keep a bot from being ended.
        with suppress(OSError):
            traces = Traces(
                scratch_bytes=self._body.scratch_bytes(),
                host_full=self._body.lacks_scratch(self._limits.scratch_mb * MEBIBYTE),
            )
        with suppress(OSError):
            return replace(
                traces,
                killed_for_memory=group is not None and group.memory_kills() > 0,
                killed_by_host=group is not None and group.foreign_kills() > 0,
                task_refused=group is not None and group.tasks_refused() > 0,
            )
        return traces

    def _peak_bytes(self, child_peak_kb: int) -> int:
        measured = child_peak_kb * 1024 if child_peak_kb > self._worker_peak_kb else 0
        return max(measured, self._resident_bytes)

    def _close(self) -> None:
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()
        self._body.close()
        self._undo.close()
