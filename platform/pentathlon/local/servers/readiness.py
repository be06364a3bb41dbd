"""Wait for something to become true, but not forever."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

_PAUSE_S = 0.02
_LAST_LINES = 20
_PATIENCE_S = 180.0
"""Seconds that even a busy machine may take. A server that has ended is reported at once, so only
one that hangs takes this long."""


class ServerFailed(Exception):
    """A server that did not start; the error carries the end of its output."""

    code = "server_failed"

    def __init__(self, name: str, reason: str, log: str = "") -> None:
        super().__init__(f"{name} {reason}" + (f"\n{log}" if log else ""))
        self.name = name


def wait_until_ready(
    is_ready: Callable[[], bool],
    *,
    name: str,
    process: subprocess.Popen[bytes],
    log: Path,
    patience_s: float = _PATIENCE_S,
) -> None:
    """Wait until `is_ready()`; raise `ServerFailed` if the process ends or takes too long."""
    deadline = time.monotonic() + patience_s
    while not is_ready():
        if process.poll() is not None:
            raise ServerFailed(name, f"ended with code {process.returncode}.", last_lines(log))
        if time.monotonic() > deadline:
            raise ServerFailed(name, f"was not ready after {patience_s:g} s.", last_lines(log))
        time.sleep(_PAUSE_S)


def last_lines(log: Path) -> str:
    """Return the end of a log file."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join(lines[-_LAST_LINES:])
