"""The processes of a worker as the host sees them: its slots, their bubblewraps, the bots."""

import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from pentathlon.local.servers import processes
from workers.sandbox.files.staging import PREFIX

_BWRAP: Final = "bwrap"


def sandboxes_of(slots: Sequence[int]) -> list[int]:
    """Return the bubblewrap processes that hold the bots of these slots."""
    return [pid for slot in slots for pid in processes.children(slot) if _name(pid) == _BWRAP]


def bots_of(slots: Sequence[int]) -> list[int]:
    """Return the bots of these slots; none where bots are started without bubblewrap."""
    found = (pid for each in sandboxes_of(slots) for pid in processes.children(each))
    # A process still named bubblewrap has not become the bot; killing it would fail the start.
    return [pid for pid in found if _name(pid) != _BWRAP]


def remove_files(slots: Sequence[int]) -> bool:
    """Remove the files that these slots keep for their bots, as a cleaner of /tmp would."""
    folders = {folder for slot in slots for folder in _staged(slot)}
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return bool(folders)


class Frozen:
    """A worker and all that it has started, stopped together as by a paused host."""

    def __init__(self, worker: int) -> None:
        """Stop the worker and all that it has started."""
        self._stopped = []
        for pid in (worker, *_descendants(worker)):
            # A bot that waits for its turn is stopped already, and must stay so.
            with suppress(OSError):
                if _state(pid) != "T":
                    os.kill(pid, signal.SIGSTOP)
                    self._stopped.append(pid)

    def thaw(self) -> None:
        """Resume the processes that were running."""
        for pid in self._stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def _descendants(pid: int) -> Iterator[int]:
    for child in processes.children(pid):
        yield child
        yield from _descendants(child)


def _staged(slot: int) -> Iterator[Path]:
    """Yield the staging folders that a process holds locked, by their paths on the host."""
    with suppress(OSError):
        for descriptor in Path(f"/proc/{slot}/fd").iterdir():
            with suppress(OSError):
                target = descriptor.readlink()
                if target.name.startswith(PREFIX):
                    yield Path(f"/proc/{slot}/root{target}")


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
