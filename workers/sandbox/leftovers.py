"""Ends what bubblewrap leaves behind if it is killed in the middle of its work.

Its inner process waits to be let in and asks for a signal only afterwards: if the outer one goes
with a killed worker before that, the inner one waits for ever.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from workers.sandbox.bubblewrap import OURS

_PROC: Final = Path("/proc")
_IN_OWN_NAMESPACE: Final = 2
"""An inner process has two ids: that on this host and that in its own namespace."""


def end_leftovers() -> None:
    """Kill every inner process of ours whose outer one is gone, but none of another user."""
    for pid in list(_orphans()):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _orphans() -> Iterator[int]:
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError, ValueError):
            words = _words(folder)
            if set(words) >= OURS and _is_inner(folder) and words != _words(_parent(folder)):
                yield int(folder.name)


def _words(folder: Path) -> list[bytes]:
    return (folder / "cmdline").read_bytes().split(b"\0")


def _is_inner(folder: Path) -> bool:
    return len(_field(folder, "NSpid")) == _IN_OWN_NAMESPACE


def _parent(folder: Path) -> Path:
    return _PROC / _field(folder, "PPid")[0]


def _field(folder: Path, name: str) -> list[str]:
    for line in (folder / "status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return value.split()
    raise ValueError(f"{folder}/status has no field {name}")
