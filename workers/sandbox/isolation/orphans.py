"""Kills the orphans that bubblewrap leaves if it is killed while it sets up a bot.

The inner process of bubblewrap waits for the outer one before it asks to die with it. If the outer
process dies with its worker before that, the inner one waits forever.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from workers.sandbox.isolation.bubblewrap import OURS

_PROC: Final = Path("/proc")


def kill_orphans() -> None:
    """Kill every inner process of our own user whose outer process is gone.

    Processes in a container on this host look much the same from here; they are never touched.
    """
    if not _shows_own_namespace():
        return
    for pid in list(_candidates()):
        with suppress(OSError):
            _kill_if_orphan(pid)


def _kill_if_orphan(pid: int) -> None:
    # The handle ensures that the id cannot come to mean another process meanwhile.
    handle = os.pidfd_open(pid)
    try:
        if _is_orphan(_PROC / str(pid)):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    finally:
        os.close(handle)


def _candidates() -> Iterator[int]:
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):
            if set(_words(folder)) >= OURS:
                yield int(folder.name)


def _is_orphan(folder: Path) -> bool:
    words = _words(folder)
    return (
        set(words) >= OURS
        and _is_first_one_level_down(folder)
        and words != _words(_parent(folder))
    )


def _shows_own_namespace() -> bool:
    """Return whether /proc shows our own namespace; otherwise its ids mean other processes."""
    return _ids(_PROC / "self") == [os.getpid()]


def _is_first_one_level_down(folder: Path) -> bool:
    """Return whether a process is the first of a namespace directly below ours.

    For a worker in a container, the outer process is one level down too but not the first there,
    and the inner one is the first but two levels down.
    """
    ids = _ids(folder)
    return len(ids) == 2 and ids[-1] == 1  # noqa: PLR2004  here and in its own namespace


def _words(folder: Path) -> list[bytes]:
    return (folder / "cmdline").read_bytes().split(b"\0")


def _ids(folder: Path) -> list[int]:
    """Return the ids of a process, from the namespace of /proc down to its own."""
    return [int(number) for number in _field(folder, "NSpid")]


def _parent(folder: Path) -> Path:
    return _PROC / _field(folder, "PPid")[0]


def _field(folder: Path, name: str) -> list[str]:
    for line in (folder / "status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return value.split()
    raise ProcessLookupError(f"{folder}/status has no field {name}")
