"""The processes that are killed, and what starts them again, as a supervisor would."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from pentathlon.local import processes
from pentathlon.local.supervisor import Service

_RESTART_AFTER_S: Final = 0.3


class CrewRole(StrEnum):
    """What a process of the platform is for."""

    BROKER = "broker"
    WEB = "web"
    RECONCILER = "reconciler"
    WORKER = "worker"


@dataclass(slots=True, eq=False)
class Member:
    """One process of the platform and all that it has started."""

    role: CrewRole
    service: Service
    log: Path
    process: subprocess.Popen[bytes] | None = None
    due: float = 0.0
    is_paused: bool = False

    def family(self) -> list[int]:
        """Return the process and its children, as they are now."""
        return [self.pid, *self.children()]

    def children(self) -> list[int]:
        """Return the processes that this one has started itself: the slots of a worker."""
        return list(processes.children(self.pid))

    @property
    def pid(self) -> int:
        """The process's id."""
        if self.process is None:
            raise ProcessLookupError(f"{self.log.stem} does not run")
        return self.process.pid

    def kill(self) -> None:
        """Kill the process itself without a word; what it has started must notice."""
        os.kill(self.pid, signal.SIGKILL)

    def pause(self) -> None:
        """Stop it with all it has started, as a host does that hangs."""
        self.is_paused = True
        os.killpg(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on, unless it was killed meanwhile."""
        self.is_paused = False
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGCONT)


class Crew:
    """All processes of a platform: some workers, two reconcilers, a web server, a broker."""

    def __init__(self, services: Sequence[Service], *, workers: int, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        copies = {CrewRole.WORKER: workers, CrewRole.RECONCILER: 2}
        self.members = [
            Member(role, service, logs / f"{role}-{number}.log")
            for service in services
            for role in (CrewRole(service.name),)
            for number in range(1, copies.get(role, 1) + 1)
        ]

    def tend(self) -> None:
        """Start what does not run."""
        now = time.monotonic()
        for member in self.members:
            if member.process is None:
                if now >= member.due:
                    _start(member)
            elif member.process.poll() is not None:
                processes.end_group(member.process)
                member.process, member.due = None, now + _RESTART_AFTER_S
                member.is_paused = False

    def running(self, role: CrewRole) -> Sequence[Member]:
        """Return the members of a role that can be struck now."""
        return [
            member
            for member in self.members
            if member.role is role and member.process is not None and not member.is_paused
        ]

    def stop(self) -> None:
        """Stop everything, last started first."""
        for member in reversed(self.members):
            if member.is_paused:
                member.resume()
            if member.process is not None:
                processes.stop(member.process, patience_s=member.service.patience_s)
                member.process = None


def _start(member: Member) -> None:
    with member.log.open("ab") as output:
        member.process = processes.start(
            member.service.command,
            output=output,
            environment=member.service.environment,
            death_signal=signal.SIGKILL,  # the only one that ends a paused worker, too
        )
