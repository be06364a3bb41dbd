"""The interface between the match runner and what starts bots: plain processes or a sandbox."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.limits import Limits

BOT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where a bot looks for programs; all of these folders are below /usr, which it can see."""


class SandboxLevel(StrEnum):
    """The isolation of a bot while it played; part of the record."""

    NAMESPACES = "namespaces"
    """Bubblewrap: namespaces, system call filter, limits. Production requires it."""
    LANDLOCK = "landlock"
    """Landlock, system call filter, limits, one process; for hosts that refuse namespaces."""
    PROCESS = "process"
    """A child process with limits only, for the author's desk; its matches are not rated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotCommand:
    """The command of a bot: its arguments, and its folder on the host.

    In `argv` the launcher replaces "{bot}" with the folder as the bot sees it (also its working
    folder), "{python}" with the interpreter and "{heap_mb}" with a share of the memory limit. It
    puts the folder that holds `pentathlon_engines` on `PYTHONPATH`. `language` is a key of
    `LANGUAGES`, or "command".
    """

    folder: Path
    argv: Sequence[str]
    language: str = "python"
    env: dict[str, str] = field(default_factory=dict)
    processes: int = 1
    """How many processes the bot may have at a time."""
    parameters: Mapping[str, object] = field(default_factory=dict)
    """The values that `hello` tells the bot."""
    compiled: bool = False
    """Whether it gets the compiled engines where the launcher has both; else it gets what there
    is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The resources a bot process used in its life."""

    cpu_s: float
    wall_s: float
    memory_peak_mb: float
    exit_status: int
    """The exit status as in `subprocess`: negative for a signal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A limit that a bot broke, as the launcher found out."""

    kind: FaultKind
    detail: str


class LaunchFailed(Exception):
    """The host could not start a bot. It is not the bot's fault; the match has no result."""

    code = "launch_failed"


class EndedFromOutside(Exception):
    """Somebody on the host killed a bot that broke no limit. The match has no result."""

    code = "ended_from_outside"

    def __init__(self, *, seat: int) -> None:
        super().__init__(
            f"The bot of seat {seat} was killed on the host, not by a limit of its own."
        )
        self.seat = seat


class HostTooSlow(Exception):
    """The host gave a bot too little CPU time. The match has no result."""

    code = "host_too_slow"

    def __init__(self, detail: str, *, seat: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.seat = seat
        """The seat that kept the match waiting; None if there were several."""


class AwakeThread(NamedTuple):
    """A thread that runs, or waits for the CPU or the disk."""

    sleeps: int
    """How often it has given up the CPU so far; a wait for the disk counts from its beginning."""
    is_on_disk: bool
    waited_s: float = 0.0
    """How long it has waited for the CPU so far, without a wait that goes on."""
    is_awake: bool = True


Awake = Mapping[int, AwakeThread]
"""The awake threads of a bot by thread id."""
NOBODY: Awake = MappingProxyType({})


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

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Return the awake threads; none if the bot sleeps, is stopped or has ended.

        Threads that are `known` are returned even if they sleep by now.
        """

    def pause(self) -> None:
        """Stop the bot while another seat thinks; do nothing if it has ended."""

    def resume(self) -> None:
        """Let a paused bot run again; do nothing if it has ended."""

    def release(self) -> None:
        """Let a paused bot run to its end; it is not paused any more."""

    def breach(self) -> Breach | None:
        """Return the limit that the process has broken, or None; cheap, for every tick."""

    def stop(self) -> Usage:
        """Kill the bot and all that it started, reap it and close the pipes; idempotent."""

    def verdict(self, usage: Usage) -> Breach | None:
        """Return the limit that explains how the process ended, or None for a crash.

        Raises:
            EndedFromOutside: somebody on the host killed it.
        """


class BuildProcess(BotProcess, Protocol):
    """A running build, whose result is in its scratch folder."""

    def wait(self, timeout_s: float) -> bool:
        """Wait for its end at most this long; return whether it has ended."""

    def keep_scratch(self) -> int:
        """Return a descriptor of the scratch folder that outlives the process."""


class Launcher(Protocol):
    """Starts bot processes at one sandbox level.

    Whoever inherits from it does without builds, and prepares nothing that could be removed.
    """

    level: SandboxLevel

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the layers that isolate bots; part of the record."""

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        """Start a bot; raise `LaunchFailed` if the host cannot."""

    def start_build(self, command: BotCommand, *, tool: str, limits: Limits) -> BuildProcess:
        """Start a build; raise `LaunchFailed` if the host cannot."""
        raise LaunchFailed(f"a build with {tool} needs a sandbox")

    def is_complete(self) -> bool:
        """Return whether all files that it has prepared for bots are still there."""
        return True

    def imports_own_build(self, *, compiled: bool) -> bool:
        """Return whether bots import the engines that this process does.

        `compiled` says whether their commands ask for the compiled ones.
        """
        return True

    def close(self) -> None:
        """Remove what it has prepared; bots must have been stopped."""
        return  # a body, so that nobody has to write another
