"""The entry point through which the `pentathlon` command finds the sandbox."""

from __future__ import annotations

from pentathlon_engines.match.launcher import Launcher
from workers.sandbox.levels import open_sandbox


def launcher() -> Launcher:
    """Return the best sandbox of this machine."""
    return open_sandbox()
