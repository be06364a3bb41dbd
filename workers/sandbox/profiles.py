"""The needs of each run-time system in the sandbox, as data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.match.launcher import BOT_PATH, BotCommand
from pentathlon_engines.match.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The sandbox's settings for the bots of one run-time system.

    In `environment` and `files`, "{home}" stands for the folder in whose `bin` the system's
    program lies.
    """

    name: str
    program: str = ""
    """The program that starts the bots; empty if a bot brings its own or a launcher knows it."""
    trial: tuple[str, ...] = ("/bin/true",)
    """A command that exits with 0 if the run-time system works."""
    environment: Mapping[str, str] = field(default_factory=dict)
    readable: tuple[str, ...] = ()
    """Glob patterns, relative to the root, of files outside /usr that the system reads."""
    files: tuple[str, ...] = ()
    """Glob patterns of the files of /usr that the system reads besides its program."""
    packages: tuple[str, ...] = ()
    """Packages of the worker's own Python that the bots can import; they run this Python."""
    seen_by_itself: str = ""
    """A program that finds its own folder through /proc/self/exe. Its bots see that link, and
    nothing else in /proc."""
    reserved_mb: int = 0
    """Address space that the system reserves without using it. It is limited because the kernel
    takes .2 s to change the page tables of 16 GiB, even while the bot is paused."""
    extra_tasks: int = 0
    """Threads of the system itself, besides those that the limits leave to the bot."""
    startup_cpu_s: float = 0.0
    """CPU time for the system's own start, besides what the limits leave to the bot."""

    def is_installed(self) -> bool:
        """Return whether its program is on the path of bots, and its packages are with us."""
        has_program = not self.program or shutil.which(self.program, path=BOT_PATH) is not None
        return has_program and all(map(find_spec, self.packages))

    def limits(self, limits: Limits) -> Limits:
        """Return the limits plus the needs of the run-time system itself."""
        return replace(
            limits,
            tasks=limits.tasks + self.extra_tasks,
            startup_wall_s=limits.startup_wall_s + self.startup_cpu_s,
        )

    def variables(self) -> dict[str, str]:
        """Return the environment variables that only its bots have."""
        return {name: self._at_home(value) for name, value in self.environment.items()}

    def system_files(self) -> list[str]:
        """Return glob patterns, relative to the root, of its files in /usr."""
        return [self._at_home(pattern).removeprefix("/") for pattern in self.files]

    def _at_home(self, text: str) -> str:
        if "{home}" not in text:
            return text
        found = shutil.which(self.program, path=BOT_PATH) or "/usr/bin/absent"
        return text.replace("{home}", str(Path(found).resolve().parents[1]))

    def links(self) -> list[tuple[str, str]]:
        """Return target and place of each link that only its bots see."""
        program = shutil.which(self.seen_by_itself, path=BOT_PATH) if self.seen_by_itself else None
        return [(os.path.realpath(program), "/proc/self/exe")] if program else []

    def extra_paths(self) -> list[Path]:
        """Return the paths that only its bots see."""
        return [path for pattern in self.readable for path in sorted(Path("/").glob(pattern))]


_GIBIBYTE_MB: Final = 1024

# A bot's own program may have a garbage collector that reserves first and uses later.
NATIVE: Final = Profile(name="command", reserved_mb=4 * _GIBIBYTE_MB)

BUILD: Final = Profile(
    name="build",
    program="java",
    environment={"LD_LIBRARY_PATH": "{home}/lib", "OPENSSL_CONF": "/dev/null"},
    readable=("etc/java-*-openjdk",),
    reserved_mb=16 * _GIBIBYTE_MB,
)
"""The profile for compilers of any language and the programs that they call."""
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
"""The limits of one build; `action_wall_s` is the time for all of it."""

PROFILES: Final = {
    each.name: each
    for each in (
        NATIVE,
        Profile(name="python", trial=("{python}", "-I", "-S", "-c", "pass")),
        Profile(
            name="python-numpy",
            trial=("{python}", "-s", "-S", "-B", "-c", "import numpy, onnxruntime"),
            environment=LANGUAGES["python-numpy"].environment,
            packages=LANGUAGES["python-numpy"].packages,
            # Loading both takes 140 MiB of addresses.
            reserved_mb=256,
        ),
        Profile(
            name="perl",
            program="perl",
            trial=("perl", "-e", "1"),
            files=("usr/lib/*/perl*", "usr/share/perl*"),
        ),
        # It starts four threads of the engine, four of the event loop, and a watcher.
        Profile(
            name="node",
            program="node",
            trial=("node", "-e", "1"),
            environment={"OPENSSL_CONF": "/dev/null"},
            files=("usr/share/nodejs",),
            # It reserves 1.3 GiB for the start and four threads, 10 GiB for a memory of
            # WebAssembly.
            reserved_mb=12 * _GIBIBYTE_MB,
            extra_tasks=10,
            startup_cpu_s=1.0,
        ),
        # Without /proc, the starter of Java does not find the libraries beside it.
        Profile(
            name="java",
            program="java",
            trial=("java", "-Xshare:auto", "-XX:+UseSerialGC", "-Xmx64m", "-version"),
            environment={"LD_LIBRARY_PATH": "{home}/lib:{home}/lib/server"},
            readable=("etc/java-*-openjdk",),
            files=("{home}",),
            # It reserves 2.6 GiB with sixteen threads.
            reserved_mb=4 * _GIBIBYTE_MB,
            extra_tasks=24,
            startup_cpu_s=2.0,
        ),
    )
}


def profile_of(command: BotCommand) -> Profile:
    """Return the profile of a bot: by its language, else by the system's program that it starts.

    A file of the bot's own with the name of such a program does not count.
    """
    if command.language in PROFILES and command.language != NATIVE.name:
        return PROFILES[command.language]
    program = command.argv[0] if command.argv else ""
    return next((each for each in PROFILES.values() if _starts(program, each)), NATIVE)


def _starts(program: str, profile: Profile) -> bool:
    """Return whether this program is the one of a profile."""
    if not profile.program:
        return False
    if program == profile.program:
        # A name without a folder is looked up in system folders, never among the bot's files.
        return True
    found = shutil.which(profile.program, path=BOT_PATH)
    return found is not None and program in (found, os.path.realpath(found))
