"""Compiles the engines while the platform runs; the worker then goes on with the compiled ones."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from pentathlon.local.environment.compiled_build import has_compiler, kept_engines
from pentathlon.local.servers import processes
from pentathlon.local.servers.readiness import last_lines

_NICE: Final = ("nice", "-n", "19")
"""Gives the build the lowest priority: bots and visitors get their CPU time first."""
_AUTOGROUP: Final = "/proc/{}/autogroup"
"""Where the kernel shares time between sessions, the build's is lowered, too: the build has a
session of its own, and there `nice` orders only what is in one."""


class Compilation:
    """One build in a process of its own; `look` is called now and then from the main thread."""

    def __init__(
        self, *, log: Path, done: Callable[[Path], None], say: Callable[[str], None]
    ) -> None:
        self._log = log
        self._done = done
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    def start(self) -> None:
        """Begin if the engines are not compiled yet and this machine has a C compiler."""
        if kept_engines() is not None or not has_compiler():
            return
        command = [
            *_NICE,
            sys.executable,
            "-m",
            "pentathlon.local.environment.compiled_build",
            "--build",
        ]
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as output:
            self._process = processes.start(command, output=output)
        with suppress(OSError):  # not every kernel has it
            Path(_AUTOGROUP.format(self._process.pid)).write_text(_NICE[-1])
        self._started = time.monotonic()

    def look(self) -> None:
        """Hand over a finished build, once; say why if the build has failed."""
        process = self._process
        if process is None or process.poll() is None:
            return
        self._process = None
        folder = kept_engines()
        if process.returncode or folder is None:
            reason = last_lines(self._log)
            self._say(f"The engines are not compiled, because compiling failed: {reason}")
            return
        self._done(folder)
        seconds = time.monotonic() - self._started
        self._say(
            f"The worker plays with compiled engines from now on (built in {seconds:.0f} s)."
        )

    def stop(self) -> None:
        """End a build that is still running; the next start begins again."""
        if self._process is not None:
            processes.stop(self._process)
            self._process = None
