"""What a worker process plays with: a sandbox launcher and the files of the bots."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pentathlon_engines.launcher import Launcher, SandboxLevel
from pentathlon_engines.plain_launcher import PlainLauncher
from workers.bot_files import BotFiles
from workers.sandbox.errors import LayerMissing
from workers.sandbox.launcher import SandboxLauncher

STRONGEST_FIRST: Final = (SandboxLevel.NAMESPACES, SandboxLevel.LANDLOCK, SandboxLevel.PROCESS)


class NoSandbox(Exception):
    """No sandbox level that is strong enough works on this host."""

    code = "no_sandbox"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One place where a match can be played at a time."""

    name: str
    launcher: Launcher
    files: BotFiles


def choose_level(*, weakest: SandboxLevel) -> SandboxLevel:
    """Return the strongest sandbox level that works here, or raise `NoSandbox`."""
    problems = []
    for level in STRONGEST_FIRST[: STRONGEST_FIRST.index(weakest) + 1]:
        try:
            launcher = _launcher(level)
        except LayerMissing as error:
            problems.append(f"{level}: {error}")
        else:
            _close(launcher)
            return level
    raise NoSandbox(_refusal(weakest, problems))


def open_slot(level: SandboxLevel) -> Slot:
    """Make this process ready to play matches."""
    return Slot(
        name=f"{socket.gethostname()}/{os.getpid()}"[-80:],
        launcher=_launcher(level),
        files=BotFiles(),
    )


def pin_to_core(index: int) -> None:
    """Keep this process and all bots it starts on one core, so that pairs share a cache."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[index % len(cores)]})


def _launcher(level: SandboxLevel) -> SandboxLauncher | PlainLauncher:
    return PlainLauncher() if level is SandboxLevel.PROCESS else SandboxLauncher(level)


def _close(launcher: SandboxLauncher | PlainLauncher) -> None:
    if isinstance(launcher, SandboxLauncher):
        launcher.close()


def _refusal(weakest: SandboxLevel, problems: Sequence[str]) -> str:
    return "\n".join(
        (
            f"This worker plays no matches: it may not go below the sandbox level {weakest}.",
            *problems,
            "PENTATHLON_SANDBOX names the weakest level to accept: namespaces, landlock, or",
            "process, which shuts nobody in, is meant for development and is never rated.",
        )
    )
