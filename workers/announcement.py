"""What this worker can play, as it announces it."""

from __future__ import annotations

import os
import socket
from dataclasses import replace

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
    told = Announcement(
        name=f"{socket.gethostname()}/{os.getpid()}"[-76:],
        slots=slots,
        games={key: game.info.version for key, game in GAMES.items()},
        runtimes=[name for name, profile in PROFILES.items() if profile.is_installed()],
        sandbox=level.value,
        layers=[],
        version=__version__,
        started_at=timezone.now(),
    )
    return told if level is SandboxLevel.PROCESS else _as_it_holds(told, level)


def _as_it_holds(told: Announcement, level: SandboxLevel) -> Announcement:
    """Try in the sandbox what bots would do there."""
    launcher = SandboxLauncher(level)
    try:
        return replace(told, runtimes=launcher.runtimes(), layers=probe(level).to_json()["layers"])
    finally:
        launcher.close()
