"""Starts bots as child processes with limits but no isolation; for the author's desk."""

from __future__ import annotations

import math
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pentathlon_engines import bot
from pentathlon_engines.languages import LANGUAGES, heap_mb
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import (
    BOT_PATH,
    NOBODY,
    Awake,
    BotCommand,
    Breach,
    Launcher,
    LaunchFailed,
    SandboxLevel,
    Usage,
)
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.wall_clock import awake_threads

# Importing `bot` here also writes its bytecode; bots themselves may not write it.
ENGINES: Final = Path(bot.__file__).parents[1]
"""The folder that holds `pentathlon_engines`, for a bot's PYTHONPATH."""

_MIB: Final = 1024 * 1024
_PEAK: Final = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)
_ENVIRONMENT: Final = {
    "PATH": BOT_PATH,
    "HOME": "/tmp",  # noqa: S108  # the same as in the sandbox
    "TMPDIR": "/tmp",  # noqa: S108  # the same as in the sandbox
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONPATH": str(ENGINES),
}


class PlainLauncher(Launcher):
    """Starts a bot in a process group of its own, with resource limits and a clean environment."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ("rlimits",)

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> PlainProcess:
        """Start a bot; raise `LaunchFailed` if its run-time system is not here.

        A program of its own that cannot be started is the bot's fault, as in the sandbox.
        """
        if sys.platform != "linux":
            raise LaunchFailed(
                f"bots play on Linux, not on {sys.platform}: /docs/systems/ on a site shows how"
            )
        places = {
            "{bot}": str(command.folder),
            "{python}": sys.executable,
            "{heap_mb}": str(heap_mb(limits.memory_mb)),
        }
        argv = [_replace(word, places) for word in command.argv]
        try:
            try:
                child = _spawn(argv, command)
            except OSError:
                if command.language != "command":
                    raise
                # The shell cannot start it either: it says why and ends, as in the sandbox.
                child = _spawn(["/bin/sh", "-c", 'exec "$@"', "sh", *argv], command)
        except OSError as error:
            raise LaunchFailed(f"seat {seat}: {argv[0]} cannot be started: {error}") from error
        _limit(child.pid, limits, language=command.language)
        return PlainProcess(child, limits)


class PlainProcess:
    """One running bot without a sandbox."""

    def __init__(self, child: subprocess.Popen[bytes], limits: Limits) -> None:
        self._child = child
        self.pid = child.pid
        # The CPU clock of another process, as clock_getcpuclockid(3) computes it.
        self._clock = (~child.pid << 3) | 2
        self._cpu_s = 0.0
        self._memory_peak_mb = 0.0
        self._limits = limits
        self._started = time.monotonic()
        self._usage: Usage | None = None
        self._pipes = [pipe for pipe in (child.stdin, child.stdout, child.stderr) if pipe]
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in self._pipes)
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)

    def cpu_s(self) -> float:
        """Return the CPU seconds used so far, over all threads; the last value once it ended."""
        try:
            used_s = time.clock_gettime(self._clock)
        except OSError:  # it has ended
            return self._cpu_s
        self._cpu_s = used_s
        return used_s

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        """Return the awake threads of the bot's own process."""
        return awake_threads([self.pid], known)

    def pause(self) -> None:
        """Stop the bot and all that it started."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused bot run again."""
        self._signal(signal.SIGCONT)

    def release(self) -> None:
        """Let a paused bot run to its end."""
        self.resume()

    def breach(self) -> Breach | None:
        """Return a breach if the bot has held more memory than it may."""
        self._note_memory()
        if self._memory_peak_mb <= self._limits.memory_mb:
            return None
        held = f"held {self._memory_peak_mb:.0f} MiB of memory"
        detail = f"{held}, {self._limits.memory_mb} are allowed"
        return Breach(kind=FaultKind.MEMORY, detail=detail)

    def stop(self) -> Usage:
        """Kill the bot and all that it started, reap it and close the pipes."""
        if self._usage is None:
            self._note_memory()
            self._signal(signal.SIGKILL)
            _, status, used = os.wait4(self.pid, 0)
            self._child.returncode = os.waitstatus_to_exitcode(status)
            self._usage = Usage(
                cpu_s=used.ru_utime + used.ru_stime,
                wall_s=time.monotonic() - self._started,
                memory_peak_mb=self._memory_peak_mb,
                exit_status=self._child.returncode,
            )
            for pipe in self._pipes:
                pipe.close()
        return self._usage

    def verdict(self, usage: Usage) -> Breach | None:
        """Return the limit that explains how the process ended, or None for a crash."""
        if usage.exit_status == -signal.SIGXCPU:
            return Breach(kind=FaultKind.CPU_TIME, detail=f"used {usage.cpu_s:.3f} s of CPU time")
        if usage.exit_status == -signal.SIGXFSZ:
            limit = f"{self._limits.scratch_mb} MiB"
            return Breach(kind=FaultKind.SCRATCH, detail=f"wrote a file larger than {limit}")
        return self.breach()

    def _note_memory(self) -> None:
        if self._usage is not None:
            return
        # ru_maxrss would include the memory of the process that started the bot.
        with suppress(OSError):
            status = Path(f"/proc/{self.pid}/status").read_text()
            if peak := _PEAK.search(status):
                self._memory_peak_mb = int(peak[1]) / 1024

    def _signal(self, number: int) -> None:
        if self._usage is not None:
            return
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return


def _spawn(argv: Sequence[str], command: BotCommand) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=command.folder,
        env={**_ENVIRONMENT, **_variables(command.language), **command.env},
        # No new session: if we are killed, the kernel ends a stopped group for us.
        process_group=0,
    )


def _variables(language: str) -> dict[str, str]:
    """Return the variables of a language's bots, with the folders of its packages on the path."""
    known = LANGUAGES.get(language)
    if known is None or not known.packages:
        return {}
    origins = [spec.origin for name in known.packages if (spec := find_spec(name))]
    folders = dict.fromkeys(str(Path(origin).parents[1]) for origin in origins if origin)
    return {**known.environment, "PYTHONPATH": os.pathsep.join((str(ENGINES), *folders))}


def _replace(word: str, places: dict[str, str]) -> str:
    for name, place in places.items():
        word = word.replace(name, place)
    return word


def _limit(pid: int, limits: Limits, *, language: str) -> None:
    cpu_s = math.ceil(limits.match_cpu_s + limits.startup_wall_s)
    memory = limits.memory_mb * _MIB
    # Other runtimes reserve far more addresses than they use, so we limit writable memory.
    space = (resource.RLIMIT_AS, 4) if language.startswith("python") else (resource.RLIMIT_DATA, 2)
    for what, soft, hard in (
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        (space[0], space[1] * memory, space[1] * memory),
        (resource.RLIMIT_FSIZE, limits.scratch_mb * _MIB, limits.scratch_mb * _MIB),
        (resource.RLIMIT_NOFILE, limits.open_files, limits.open_files),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        # The bot may have ended already, and the host may allow less than these limits.
        with suppress(ProcessLookupError, PermissionError, ValueError):
            resource.prlimit(pid, what, (soft, hard))
