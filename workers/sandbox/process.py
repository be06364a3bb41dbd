"""A running bot in a sandbox: its clock, pause, watchdog and end."""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import ExitStack, suppress
from dataclasses import replace

from pentathlon_engines.match.launcher import (
    NOBODY,
    Awake,
    Breach,
    EndedFromOutside,
    Usage,
)
from pentathlon_engines.match.limits import Limits
from workers.sandbox.errors import HostDiskFull
from workers.sandbox.resources.breaches import (
    Evidence,
    Footprint,
    breach_of,
    explain_end,
    killed_for_memory,
    too_much_cpu,
)
from workers.sandbox.resources.cgroups import Group
from workers.sandbox.resources.process_tree import ProcessTree
from workers.sandbox.resources.rlimits import MEBIBYTE, most_cpu_s
from workers.sandbox.resources.scratch import ScratchMeter
from workers.sandbox.starters import Reaped, Starter

_LONGEST_EXIT_S = 1.0
"""How long a process may take from the end of its output to its own end."""


class SandboxedBot:
    """One bot: the `process_tree` is its own, the `starter` reaps it."""

    def __init__(
        self,
        *,
        starter: Starter,
        process_tree: ProcessTree,
        scratch: ScratchMeter,
        limits: Limits,
        group: Group | None = None,
        seat: int = 0,
    ) -> None:
        self._pipes = starter.pipes
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        self.pid = process_tree.pid
        self._tree = process_tree
        self._read_clock = process_tree.cpu_s
        self._scratch = scratch
        self._starter = starter
        self._limits = limits
        self._seat = seat
        self._is_held = False
        self._was_ended = False
        """Whether something outside the sandbox, other than this object, has ended the bot."""
        self.group = group
        """The bot's control group, if any."""
        self._undo = ExitStack()
        self._started = time.monotonic()
        # The launcher used this CPU time before the bot's own program began.
        self._overhead_cpu_s = process_tree.cpu_s()
        self._cpu_s = 0.0
        self._resident_bytes = 0
        self._evidence = Evidence()
        self._usage: Usage | None = None

    def when_stopped(self, undo: ExitStack) -> None:
        """Close `undo` when the bot has been stopped."""
        self._undo = undo

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far, over all threads and processes."""
        if self._usage is None:
            # `suppress` would cost more than reading the clock.
            try:
                self._cpu_s = self._read_clock() - self._overhead_cpu_s
            except OSError:
                return self._cpu_s
        return self._cpu_s

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Return the threads that run or are about to."""
        return {} if self._usage is not None else self._tree.awake_threads(known)

    def pause(self) -> None:
        """Stop the bot from running."""
        if self._usage is None:
            if not self._is_held:
                self._is_held = True
                self._starter.hold()
            self._tree.pause()

    def resume(self) -> None:
        """Let a paused bot run again."""
        if self._usage is None:
            self._tree.resume()

    def release(self) -> None:
        """Let a paused bot run to its end."""
        self._starter.release()
        self.resume()

    def breach(self) -> Breach | None:
        """Return the limit that the bot has broken by now, or None."""
        if self._usage is not None:
            return None
        if self._starter.hides_end:
            self.wait(0)
        if self.cpu_s() > most_cpu_s(self._limits):
            return too_much_cpu(self._cpu_s, self._limits)
        # The process may end at any moment; then `verdict` explains its end.
        with suppress(OSError):
            if breach := breach_of(self.footprint(), self._limits):
                return breach
            # The bot may go on after the kernel has killed one of its children.
            if self.group is not None and self.group.memory_kills():
                return killed_for_memory(self._limits)
        return None

    def footprint(self) -> Footprint:
        """Return what the bot holds now; `OSError` when it has ended or cannot be seen."""
        files, scratch_bytes = self._scratch.used()
        threads, resident_bytes = self._tree.threads_and_bytes(scratch_bytes=scratch_bytes)
        resident_bytes = max(0, resident_bytes - self._starter.inherited_bytes)
        self._resident_bytes = max(self._resident_bytes, resident_bytes)
        return Footprint(
            threads=threads,
            resident_bytes=resident_bytes,
            scratch_files=files,
            scratch_bytes=scratch_bytes,
        )

    def wait(self, timeout_s: float) -> bool:
        """Wait until the bot's first process has ended; return whether it has."""
        has_ended = self._tree.wait(timeout_s)
        if has_ended and self._starter.hides_end:
            self._starter.release()
        return has_ended

    def keep_scratch(self) -> int:
        """Return a descriptor of the bot's scratch folder; the caller closes it.

        In namespaces the files there can be read even when the bot has been stopped.
        """
        return self._scratch.keep()

    def stop(self) -> Usage:
        """Kill the bot, reap it and close the pipes; idempotent."""
        if self._usage is None:
            had_ended = self._tree.wait(_LONGEST_EXIT_S if self._has_let_go() else 0)
            self.pause()
            cpu_s = self.cpu_s()
            self._tree.kill()
            reaped = self._starter.reap()
            status = reaped.status
            # No bot can end like this by itself: in a namespace the kernel drops the signal, and
            # the filter refuses the exit status that looks the same; without, it refuses both.
            self._was_ended = reaped.was_ended or (had_ended and status == -signal.SIGKILL)
            self._evidence = self._find_evidence()
            self._usage = Usage(
                cpu_s=max(cpu_s, self._total_cpu_s(reaped)),
                wall_s=time.monotonic() - self._started,
                memory_peak_mb=self._peak_bytes(reaped.used.ru_maxrss) / MEBIBYTE,
                exit_status=status,
            )
            self._close()
        return self._usage

    def verdict(self, usage: Usage) -> Breach | None:
        """Return the limit that explains this end, or None for a crash.

        Raises:
            HostDiskFull: the bot may have ended because the host had no room for its files.
            EndedFromOutside: a process of the host killed the bot, or one of its children.
        """
        breach = explain_end(usage, self._limits, self._evidence)
        if breach is None and (self._was_ended or self._evidence.killed_by_host):
            raise EndedFromOutside(seat=self._seat)
        if breach is None and self._evidence.host_full:
            raise HostDiskFull(promised_mb=self._limits.scratch_mb)
        return breach

    def _has_let_go(self) -> bool:
        """Return whether nobody holds the bot's output any more, so that it most likely ends."""
        output = select.poll()
        output.register(self.stdout, 0)
        return bool(output.poll(0))

    def _total_cpu_s(self, reaped: Reaped) -> float:
        with suppress(OSError):
            total_s = self._tree.total_cpu_s(reaped.used, starter_cpu_s=self._starter.cpu_s)
            return total_s - self._overhead_cpu_s
        return 0.0

    def _find_evidence(self) -> Evidence:
        group, evidence = self.group, Evidence()
        # A file that is gone must not keep us from ending the bot.
        with suppress(OSError):
            evidence = Evidence(
                scratch_bytes=self._scratch.used()[1],
                host_full=self._scratch.lacks(self._limits.scratch_mb * MEBIBYTE),
            )
        if group is None:
            return evidence
        with suppress(OSError):
            return replace(
                evidence,
                killed_for_memory=group.memory_kills() > 0,
                killed_by_host=group.foreign_kills() > 0,
                task_refused=group.tasks_refused() > 0,
            )
        return evidence

    def _peak_bytes(self, child_peak_kb: int) -> int:
        measured = child_peak_kb * 1024 if child_peak_kb > self._starter.least_peak_kb else 0
        return max(measured - self._starter.inherited_bytes, self._resident_bytes)

    def _close(self) -> None:
        for pipe in self._pipes:
            with suppress(OSError):
                pipe.close()
        self._tree.close()
        self._undo.close()
