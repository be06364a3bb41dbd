"""What one worker process plays with: a sandbox launcher and the files of the bots."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pentathlon_engines.match.launcher import Launcher, SandboxLevel
from pentathlon_engines.match.plain_launcher import PlainLauncher
from workers.bot_files import BotFiles
from workers.sandbox.launcher import SandboxLauncher


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One place where one match at a time is played. Processes never share one."""

    name: str
    launcher: Launcher
    files: BotFiles

    def close(self) -> None:
        """Remove all files and give back the uids; no match may be played."""
        if isinstance(self.launcher, SandboxLauncher):
            self.launcher.close()
        self.files.close()


def open_slot(level: SandboxLevel, *, name: str) -> Slot:
    """Make this process ready to play matches at a sandbox level that the host can hold."""
    return Slot(
        name=name[-80:],
        launcher=PlainLauncher() if level is SandboxLevel.PROCESS else SandboxLauncher(level),
        files=BotFiles(),
    )


def pin_to_core(index: int) -> None:
    """Keep this process and the bots it starts on one core: they take turns anyway."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[index % len(cores)]})
