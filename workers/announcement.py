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
from workers.sandbox.probe import probe

_RUNTIMES = ("python", "command")


def announcement(*, level: SandboxLevel, slots: int) -> Announcement:
    """Return what the worker whose parent process this is says about itself."""
    return Announcement(
        name=f"{socket.gethostname()}/{os.getpid()}"[-76:],
        slots=slots,
        games={key: game.info.version for key, game in GAMES.items()},
        runtimes=_RUNTIMES,
        sandbox=level.value,
        layers=_layers(level),
        version=__version__,
        started_at=timezone.now(),
    )


def _layers(level: SandboxLevel) -> list[dict[str, Any]]:  # Any: JSON
    if level is SandboxLevel.PROCESS:
        return []
    layers: list[dict[str, Any]] = probe(level).to_json()["layers"]
    return layers
