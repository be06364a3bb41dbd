"""A slot: the launcher and the bot files with which one process plays matches."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from pentathlon_engines.match.launcher import Launcher, SandboxLevel
from pentathlon_engines.match.plain_launcher import PlainLauncher
from workers.sandbox.launcher import SandboxLauncher
from workers.slots.bot_files import BotFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Plays one match at a time and belongs to one process."""

    name: str
    launcher: Launcher
    files: BotFiles

    def close(self) -> None:
        """Remove all files and free the uids; no match may be running."""
        self.launcher.close()
        self.files.close()


def open_slot(level: SandboxLevel, *, name: str, fetch: Callable[[str], bytes]) -> Slot:
    """Open a slot for this process at a sandbox level that works here.

    `fetch` returns the archive of a bot by its content hash.
    """
    if level is SandboxLevel.PROCESS:
        return Slot(name=name[-80:], launcher=PlainLauncher(), files=BotFiles(fetch))
    launcher = SandboxLauncher(level)
    files = BotFiles(fetch, parent=launcher.memory)
    return Slot(name=name[-80:], launcher=launcher, files=files)


def pin_to_core(index: int) -> None:
    """Pin this process and its bots to one core: they take turns anyway."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[index % len(cores)]})
