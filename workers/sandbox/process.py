"""A running bot in a sandbox: its clock, its pause, its watchdog and its end."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
import time
from contextlib import ExitStack, suppress

from pentathlon_engines.faults import FaultKind
from pentathlon_engines.launcher import Breach, LaunchFailed, Usage
from pentathlon_engines.limits import Limits
from workers.sandbox.burden import Burden, ScratchMeter, burden, process_cpu_s
from workers.sandbox.rlimits import MEBIBYTE, most_cpu_s

_LONGEST_END_S = 5.0
_EXITED_BY_SIGNAL = 128


class SandboxedBot:
    """One bot process; `pid` is the bot itself, `child` the process that we must reap.

    In namespaces the child is bubblewrap, which passes on the bot's exit status and CPU time.
    """

    def __init__(
        self,
        *,
        child: subprocess.Popen[bytes],
        pid: int,
        limits: Limits,
        scratch: ScratchMeter,
    ) -> None:
        if child.stdin is None or child.stdout is None or child.stderr is None:
            raise LaunchFailed("a bot needs three pipes; start it with stdin, stdout and stderr")
        self._pipes = (child.stdin, child.stdout, child.stderr)
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        self.pid = pid
        self._child = child
        self._handle = _process_handle(pid)
        self._limits = limits
        self._scratch = scratch
        self._undo = ExitStack()
        self._started = time.monotonic()
        # What was used before the bot's own program began is ours.
        self._overhead_cpu_s = process_cpu_s(pid)
        self._cpu_s = 0.0
        self._resident_bytes = 0
        # A child starts as a copy of the worker, whose size its peak then includes.
        self._worker_peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self._usage: Usage | None = None

    def when_stopped(self, undo: ExitStack) -> None:
        """Have `undo` closed when the bot has been stopped."""
        self._undo = undo

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far, over all threads."""
        if self._usage is None:
            with suppress(OSError):
                self._cpu_s = process_cpu_s(self.pid) - self._overhead_cpu_s
        return self._cpu_s

    def pause(self) -> None:
        """Stop the bot from running; atomic, because a bot is one process."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused bot run again."""
        self._signal(signal.SIGCONT)

    def breach(self) -> Breach | None:
        """Return the limit that the bot has broken by now, or None."""
        if self._usage is not None:
            return None
        if self.cpu_s() > most_cpu_s(self._limits):
            return _too_much_cpu(self._cpu_s, self._limits)
        # The process may end at any moment; then its end is what counts.
        with suppress(OSError):
            return self._too_heavy(self.burden())
        return None

    def burden(self) -> Burden:
        """Return what the bot holds now; `OSError` when it cannot be seen or has ended."""
        now = burden(self.pid, self._scratch)
        self._resident_bytes = max(self._resident_bytes, now.resident_bytes)
        return now

    def stop(self) -> Usage:
        """Kill the bot, reap it and close the pipes; idempotent."""
        if self._usage is None:
            self.pause()
            cpu_s = self.cpu_s()
            self._signal(signal.SIGKILL)
            status, used = self._reap()
            self._usage = Usage(
                cpu_s=max(cpu_s, used.ru_utime + used.ru_stime - self._overhead_cpu_s),
                wall_s=time.monotonic() - self._started,
                memory_peak_mb=self._peak_bytes(used.ru_maxrss) / MEBIBYTE,
                exit_status=status,
            )
            self._close()
        return self._usage

    def verdict(self, usage: Usage) -> Breach | None:
        """Say which limit explains this end, or None for a crash."""
        ended_by = -usage.exit_status
        if ended_by == signal.SIGSYS:
            return Breach(kind=FaultKind.SECURITY, detail="a forbidden system call")
        if ended_by == signal.SIGXCPU or (
            ended_by == signal.SIGKILL and usage.cpu_s >= most_cpu_s(self._limits)
        ):
            return _too_much_cpu(usage.cpu_s, self._limits)
        if ended_by == signal.SIGXFSZ:
            detail = f"wrote a file of more than {self._limits.scratch_mb} MiB"
            return Breach(kind=FaultKind.SCRATCH, detail=detail)
        if usage.memory_peak_mb > self._limits.memory_mb:
            return _too_much_memory(usage.memory_peak_mb, self._limits)
        return None

    def _too_heavy(self, now: Burden) -> Breach | None:
        limits = self._limits
        resident_mb = now.resident_bytes / MEBIBYTE
        if resident_mb > limits.memory_mb:
            return _too_much_memory(resident_mb, limits)
        if now.threads > limits.tasks:
            detail = f"ran {now.threads} threads; {limits.tasks} are allowed"
            return Breach(kind=FaultKind.MEMORY, detail=detail)
        if now.scratch_files > limits.scratch_files:
            detail = f"made more than {limits.scratch_files} files in its scratch folder"
            return Breach(kind=FaultKind.SCRATCH, detail=detail)
        if now.scratch_bytes > limits.scratch_mb * MEBIBYTE:
            detail = f"wrote more than {limits.scratch_mb} MiB to its scratch folder"
            return Breach(kind=FaultKind.SCRATCH, detail=detail)
        return None

    def _signal(self, number: signal.Signals) -> None:
        if self._usage is not None:
            return
        with suppress(ProcessLookupError):
            if self._handle >= 0:
                signal.pidfd_send_signal(self._handle, number)
            else:
                os.kill(self.pid, number)

    def _reap(self) -> tuple[int, resource.struct_rusage]:
        """Wait for the child; one that does not follow its killed bot is killed too."""
        handle = _process_handle(self._child.pid)
        if handle >= 0:
            if not select.select([handle], [], [], _LONGEST_END_S)[0]:
                os.kill(self._child.pid, signal.SIGKILL)
            os.close(handle)
        _, raw, used = os.wait4(self._child.pid, 0)
        status = os.waitstatus_to_exitcode(raw)
        # Otherwise Popen would wait for it again.
        self._child.returncode = status
        if status > _EXITED_BY_SIGNAL:
            status = _EXITED_BY_SIGNAL - status
        return status, used

    def _peak_bytes(self, child_peak_kb: int) -> int:
        measured = child_peak_kb * 1024 if child_peak_kb > self._worker_peak_kb else 0
        return max(measured, self._resident_bytes)

    def _close(self) -> None:
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()
        if self._handle >= 0:
            os.close(self._handle)
        self._undo.close()


def _process_handle(pid: int) -> int:
    """Return a descriptor that cannot come to mean another process; -1 on kernels without."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return -1


def _too_much_cpu(cpu_s: float, limits: Limits) -> Breach:
    allowed = f"{most_cpu_s(limits):g} s are allowed, its start included"
    detail = f"used {cpu_s:.2f} s of CPU time; {allowed}"
    return Breach(kind=FaultKind.CPU_TIME, detail=detail)


def _too_much_memory(used_mb: float, limits: Limits) -> Breach:
    detail = f"held {used_mb:.0f} MiB of memory; {limits.memory_mb} MiB are allowed"
    return Breach(kind=FaultKind.MEMORY, detail=detail)
