"""The process outside of a bot's namespaces that started the bot and reaps it."""

from __future__ import annotations

import os
import resource
import select
import signal
import subprocess
from dataclasses import dataclass
from typing import IO, Protocol

from pentathlon_engines.match.launcher import LaunchFailed
from workers.sandbox.resources.process_tree import process_handle
from workers.sandbox.resources.procfs import process_cpu_s

Pipes = tuple[IO[bytes], IO[bytes], IO[bytes]]

_LONGEST_END_S = 5.0
_EXITED_BY_SIGNAL = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Reaped:
    """The end of a bot, as the kernel told it."""

    status: int
    """The exit status as in `subprocess`."""
    used: resource.struct_rusage
    """The resources of the bot, and of its starter up to its own program."""
    was_ended: bool = False
    """Whether something outside the sandbox, other than we, has ended the starter."""


class Starter(Protocol):
    """Started a bot and reaps it."""

    pipes: Pipes
    """The worker's ends of the bot's input, output and log."""
    cpu_s: float
    """The CPU seconds that it used itself, which `reap` includes."""
    least_peak_kb: int
    """A peak of memory up to this one is not the bot's own."""
    inherited_bytes: int
    """The memory that the bot held before its program began, which it is not charged."""

    @property
    def hides_end(self) -> bool:
        """Whether it holds the bot's pipes, so that their end is not seen before its own."""

    def hold(self) -> None:
        """Stop it while the bot plays, if it would be woken at each pause; called once."""

    def release(self) -> None:
        """Let it go on."""

    def reap(self) -> Reaped:
        """Wait for the end of a bot that was killed or has ended."""


class SpawnedStarter:
    """A child of ours: bubblewrap, or the bot itself at a level without namespaces."""

    def __init__(self, child: subprocess.Popen[bytes], *, pid: int) -> None:
        """Take a child that has three pipes; `pid` is the bot's."""
        if child.stdin is None or child.stdout is None or child.stderr is None:
            raise LaunchFailed("a bot needs three pipes; start it with stdin, stdout and stderr")
        self.pipes = (child.stdin, child.stdout, child.stderr)
        self.inherited_bytes = 0
        self._child = child
        self._is_held = False
        self._is_bubblewrap = child.pid != pid
        self._may_hold = self._is_bubblewrap
        self.cpu_s = process_cpu_s(child.pid) if self._is_bubblewrap else 0.0
        # A child starts as a copy of the worker, so its peak memory includes the worker's size.
        self.least_peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    @property
    def hides_end(self) -> bool:
        """Whether it is stopped; it holds the bot's pipes open."""
        return self._is_held

    def hold(self) -> None:
        """Stop bubblewrap while the bot plays.

        The kernel wakes bubblewrap at each pause of its child, twice a turn, which took 4 us of
        19. A stopped bubblewrap holds the bot's pipes open, so it must go on before anybody can
        see that the bot has ended.
        """
        if self._may_hold:
            self._may_hold = False
            self._is_held = True
            os.kill(self._child.pid, signal.SIGSTOP)

    def release(self) -> None:
        """Let bubblewrap go on."""
        if self._is_held:
            self._is_held = False
            os.kill(self._child.pid, signal.SIGCONT)

    def reap(self) -> Reaped:
        """Wait for the child; kill it if it outlives its killed bot."""
        is_ours = False
        self.release()
        handle = process_handle(self._child.pid)
        if handle >= 0:
            if not select.select([handle], [], [], _LONGEST_END_S)[0]:
                is_ours = True
                os.kill(self._child.pid, signal.SIGKILL)
            os.close(handle)
        _, raw, used = os.wait4(self._child.pid, 0)
        status = os.waitstatus_to_exitcode(raw)
        # Otherwise Popen would wait for the child again.
        self._child.returncode = status
        if not self._is_bubblewrap:
            return Reaped(status=status, used=used)
        # No bot can signal bubblewrap, so something outside the sandbox did.
        was_ended = status < 0 and not is_ours
        if status > _EXITED_BY_SIGNAL:
            status = _EXITED_BY_SIGNAL - status
        return Reaped(status=status, used=used, was_ended=was_ended)
