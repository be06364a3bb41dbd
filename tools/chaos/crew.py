"""The processes that are killed, and the code that restarts them, as a supervisor would."""

import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from pentathlon.local.servers import processes
from pentathlon.local.supervisor import Service

_RESTART_AFTER_S: Final = 0.3


class CrewRole(StrEnum):
    """Roles of the platform's processes."""

    BROKER = "broker"
    WEB = "web"
    RECONCILER = "reconciler"
    WORKER = "worker"
    """A worker that holds the keys of the database and the broker."""
    STANDALONE = "standalone"
    """A worker without keys, behind a network of its own."""
    NETWORK = "network"


WORKERS: Final = (CrewRole.WORKER, CrewRole.STANDALONE)


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
        """Return the ids of the process and of its present children."""
        return [self.pid, *self.children()]

    def children(self) -> list[int]:
        """Return the ids of the processes that this one started itself: of a worker, its slots."""
        return list(processes.children(self.pid))

    @property
    def pid(self) -> int:
        """The process's id."""
        if self.process is None:
            raise ProcessLookupError(f"{self.log.stem} does not run")
        return self.process.pid

    def kill(self) -> None:
        """Kill the process itself without warning; its children must notice."""
        os.kill(self.pid, signal.SIGKILL)

    def pause(self) -> None:
        """Stop the process and all that it has started, as a hanging host does."""
        self.is_paused = True
        os.killpg(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let the process and all that it has started go on, unless they were killed meanwhile."""
        self.is_paused = False
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGCONT)


class Crew:
    """All processes of a platform: workers, two reconcilers, a web server, a broker, networks."""

    def __init__(self, services: Sequence[Service], *, workers: int, logs: Path) -> None:
        logs.mkdir(parents=True, exist_ok=True)
        copies = {CrewRole.WORKER: workers, CrewRole.RECONCILER: 2}
        numbers = Counter[CrewRole]()
        self.members: list[Member] = []
        for service in services:
            role = CrewRole(service.name)
            for _ in range(copies.get(role, 1)):
                numbers[role] += 1
                log = logs / f"{role}-{numbers[role]}.log"
                self.members.append(Member(role, service, log))

    def tend(self) -> None:
        """Start every process that does not run."""
        now = time.monotonic()
        for member in self.members:
            if member.process is None:
                if now >= member.due:
                    _start(member)
            elif member.process.poll() is not None:
                processes.end_group(member.process)
                member.process, member.due = None, now + _RESTART_AFTER_S
                member.is_paused = False

    def running(self, *roles: CrewRole) -> Sequence[Member]:
        """Return the members of these roles that can be struck now."""
        return [
            member
            for member in self.members
            if member.role in roles and member.process is not None and not member.is_paused
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
            death_signal=signal.SIGKILL,  # the only signal that ends a paused worker, too
        )
