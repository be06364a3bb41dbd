"""How the match runner gets a running bot: the seam between the runner and a sandbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.limits import Limits


class SandboxLevel(StrEnum):
    """How well a bot was isolated while it played; part of the record."""

    NAMESPACES = "namespaces"
    """Bubblewrap: namespaces, system call filter, limits. Demanded in production."""
    LANDLOCK = "landlock"
    """Landlock, system call filter, limits; single process. For hosts that refuse namespaces."""
    PROCESS = "process"
    """A plain child process with limits only. For the author's desk; never rated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotCommand:
    """What to start: an argument list as seen by the bot, and its folder on the host.

    The launcher replaces "{bot}" in `argv` with the place where the bot sees its folder (also the
    working folder of the process), "{python}" with the interpreter and "{heap_mb}" with a share of
    the memory limit, and it puts the folder that holds `pentathlon_engines` on `PYTHONPATH`.
    `language` is a key of `LANGUAGES`, or "command".
    """

    folder: Path
    argv: Sequence[str]
    language: str = "python"
    env: dict[str, str] = field(default_factory=dict)
    processes: int = 1
    """How many processes the bot wants to have at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a bot process had used when it was reaped."""

    cpu_s: float
    wall_s: float
    memory_peak_mb: float
    exit_status: int
    """As in `subprocess`: negative for a signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A limit that the launcher itself saw broken."""

    kind: FaultKind
    detail: str


class LaunchFailed(Exception):
    """The host could not start a bot. Never the bot's fault: the match is not scored."""

    code = "launch_failed"


class EndedFromOutside(Exception):
    """A bot was ended, and neither it nor a limit of its own can have done that. Nobody's loss."""

    code = "ended_from_outside"

    def __init__(self, *, seat: int) -> None:
        super().__init__(
            f"The bot of seat {seat} was killed on the host, not by a limit of its own."
        )
        self.seat = seat


class HostTooSlow(Exception):
    """The host gave a bot so little CPU time that its match is given back. Nobody's loss."""

    code = "host_too_slow"

    def __init__(self, detail: str, *, seat: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.seat = seat
        """Who was waited for; None when it was more than one."""


class AwakeThread(NamedTuple):
    """A thread that runs, or waits for the CPU or the disk."""

    sleeps: int
    """How often it has given up the CPU so far; a wait for the disk counts from its beginning."""
    is_on_disk: bool


Awake = Mapping[int, AwakeThread]
"""The awake threads of a bot by thread id."""


class BotProcess(Protocol):
    """One running bot. The runner reads and writes the pipes; the launcher owns the rest."""

    stdin: int
    """Non-blocking file descriptor to write to."""
    stdout: int
    """Non-blocking file descriptor to read answers from."""
    stderr: int
    """Non-blocking file descriptor to read the log from."""

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far, over all threads; the last value after its end."""

    def awake_threads(self) -> Awake:
        """Return what runs or is about to; empty for a bot that sleeps, is stopped or is gone."""

    def pause(self) -> None:
        """Stop the bot from running while another seat thinks; silent when it has ended."""

    def resume(self) -> None:
        """Let a paused bot run again; silent when it has ended."""

    def breach(self) -> Breach | None:
        """Return the limit the process has broken by now, or None; cheap, called every tick."""

    def stop(self) -> Usage:
        """Kill the bot with everything it started, reap it and close the pipes; idempotent."""

    def verdict(self, usage: Usage) -> Breach | None:
        """Say which limit explains this end (CPU, a forbidden call), or None for a crash.

        Raises:
            EndedFromOutside: the host has ended it.
        """


class Launcher(Protocol):
    """Starts bot processes at one sandbox level."""

    level: SandboxLevel
    layers: tuple[str, ...]
    """Names of what holds bots at this level; part of the record."""

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        """Start a bot; raise `LaunchFailed` when the host is to blame."""
