"""What each run-time system needs in the sandbox, as data; a new one is a new entry."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits

BOT_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
"""Where a bot looks for programs; all of it is below /usr, which it sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How the sandbox treats the bots of one run-time system.

    In `environment`, "{home}" stands for the folder in whose `bin` the system's program lies.
    """

    name: str
    program: str = ""
    """What starts its bots; empty when a bot brings its own program or a launcher knows it."""
    trial: tuple[str, ...] = ("/bin/true",)
    """Ends with status 0 where it works."""
    environment: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[str, ...] = ()
    """Patterns, from the root, of what it reads outside /usr."""
    reserved_mb: int = 0
    """Address space that it reserves without using it. The kernel keeps tables for what is read
    there, and changes those of 16 GiB in .2 s, also while the bot is paused: so it is bounded."""
    extra_tasks: int = 0
    """Threads of its own, besides those that the limits leave to the bot."""
    startup_cpu_s: float = 0.0
    """CPU time for its own start, besides what the limits leave to the bot's life."""

    def is_installed(self) -> bool:
        """Say whether its program is where bots look for one."""
        return not self.program or shutil.which(self.program, path=BOT_PATH) is not None

    def limits(self, limits: Limits) -> Limits:
        """Return the limits with what the system itself needs."""
        return replace(
            limits,
            tasks=limits.tasks + self.extra_tasks,
            startup_wall_s=limits.startup_wall_s + self.startup_cpu_s,
        )

    def surroundings(self) -> dict[str, str]:
        """Return the variables that its bots have besides those of every bot."""
        if not self.environment:
            return {}
        found = shutil.which(self.program, path=BOT_PATH) or "/usr/bin/absent"
        home = str(Path(found).resolve().parents[1])
        return {name: value.replace("{home}", home) for name, value in self.environment.items()}

    def extra_paths(self) -> list[Path]:
        """Return what its bots must see besides what every bot sees."""
        return [path for pattern in self.readable for path in sorted(Path("/").glob(pattern))]


_GIBIBYTE_MB: Final = 1024

# What a program brings along may have a collector that reserves first and uses later.
NATIVE: Final = Profile(name="command", reserved_mb=4 * _GIBIBYTE_MB)

BUILD: Final = Profile(
    name="build",
    program="java",
    environment={"LD_LIBRARY_PATH": "{home}/lib", "OPENSSL_CONF": "/dev/null"},
    readable=("etc/java-*-openjdk",),
    reserved_mb=16 * _GIBIBYTE_MB,
)
"""For compilers and what they call, whatever the language."""
BUILD_LIMITS: Final = Limits(
    startup_wall_s=0,
    action_wall_s=120,
    match_cpu_s=60,
    memory_mb=512,
    scratch_mb=128,
    scratch_files=4096,
    open_files=256,
    tasks=64,
)
"""What one build may use; `action_wall_s` bounds the whole of it."""

PROFILES: Final = {
    each.name: each
    for each in (
        NATIVE,
        Profile(name="python", trial=("{python}", "-I", "-S", "-c", "pass")),
        Profile(name="perl", program="perl", trial=("perl", "-e", "1")),
        # Four workers of the engine, four of the event loop, and a watcher.
        Profile(
            name="node",
            program="node",
            trial=("node", "-e", "1"),
            environment={"OPENSSL_CONF": "/dev/null"},
            # 1.3 GiB for the start and four threads, 10 GiB for a memory of WebAssembly.
            reserved_mb=12 * _GIBIBYTE_MB,
            extra_tasks=10,
            startup_cpu_s=1.0,
        ),
        # Without /proc its starter does not find the libraries beside it.
        Profile(
            name="java",
            program="java",
            trial=("java", "-Xshare:auto", "-XX:+UseSerialGC", "-Xmx64m", "-version"),
            environment={"LD_LIBRARY_PATH": "{home}/lib:{home}/lib/server"},
            readable=("etc/java-*-openjdk",),
            # It reserves 2.6 GiB with sixteen threads.
            reserved_mb=4 * _GIBIBYTE_MB,
            extra_tasks=24,
            startup_cpu_s=2.0,
        ),
    )
}


def profile_of(command: BotCommand) -> Profile:
    """Return the profile of a bot: by its language, else by the system's program that it starts.

    A file of the bot's own that is named like one gets nothing.
    """
    if command.language in PROFILES and command.language != NATIVE.name:
        return PROFILES[command.language]
    program = command.argv[0] if command.argv else ""
    return next((each for each in PROFILES.values() if _starts(program, each)), NATIVE)


def _starts(program: str, profile: Profile) -> bool:
    """Say whether a bot that names this program starts what a profile is for."""
    if not profile.program:
        return False
    if program == profile.program:
        # A name without a folder is looked up where the bot's files are not.
        return True
    found = shutil.which(profile.program, path=BOT_PATH)
    return found is not None and program in (found, os.path.realpath(found))
