"""What this worker can play, as it announces it."""

from __future__ import annotations

import os
import socket
from typing import Any

from django.utils import timezone

from pentathlon.matches.needs import Announcement
from pentathlon_engines import GAMES
from pentathlon_engines.launcher import SandboxLevel
from pentathlon_engines.version import __version__
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.probe import probe
from workers.sandbox.profiles import PROFILES


def announcement(*, level: SandboxLevel, slots: int) -> Announcement:
    """Return what the worker whose parent process this is says about itself."""
    return Announcement(
        name=f"{socket.gethostname()}/{os.getpid()}"[-76:],
        slots=slots,
        games={key: game.info.version for key, game in GAMES.items()},
        runtimes=_runtimes(level),
        sandbox=level.value,
        layers=_layers(level),
        version=__version__,
        started_at=timezone.now(),
    )


def _runtimes(level: SandboxLevel) -> tuple[str, ...]:
    if level is SandboxLevel.PROCESS:
        return tuple(name for name, profile in PROFILES.items() if profile.is_installed())
    launcher = SandboxLauncher(level)
    try:
        return launcher.runtimes()
    finally:
        launcher.close()


def _layers(level: SandboxLevel) -> list[dict[str, Any]]:  # Any: JSON
    if level is SandboxLevel.PROCESS:
        return []
    layers: list[dict[str, Any]] = probe(level).to_json()["layers"]
    return layers
