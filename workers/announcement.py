"""What this worker can play, as it announces it."""

from __future__ import annotations

import os
import socket
import time

from pentathlon.matches.needs import Announcement
from pentathlon_engines import GAMES
from pentathlon_engines.version import __version__
from workers.sandbox.levels import level_of
from workers.sandbox.probe import Probe
from workers.sandbox.profiles import PROFILES


def announcement(walls: Probe | None, *, slots: int) -> Announcement:
    """Return what the worker whose parent process this is says about itself."""
    return Announcement(
        name=f"{socket.gethostname()}/{os.getpid()}"[-76:],
        slots=slots,
        games={key: game.info.version for key, game in GAMES.items()},
        runtimes=known_runtimes(walls),
        sandbox=level_of(walls).value,
        layers=[] if walls is None else walls.to_json()["layers"],
        version=__version__,
        began_s=time.monotonic(),
    )


def known_runtimes(walls: Probe | None) -> list[str]:
    """Return those that are certain at once: behind walls, the one that the probe has run."""
    if walls is not None:
        return ["python"]
    return [name for name, profile in PROFILES.items() if profile.is_installed()]
