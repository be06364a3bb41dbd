"""The disks that workers keep temporary files on, and how they get full."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from tools.chaos.crew import Member
from workers.sandbox.files.staging import Staging

SIZE_BYTES: Final = 256 << 20
"""The room for what a worker's slots unpack; a full disk takes this much memory."""
_CHUNK: Final = bytes(1 << 20)
_PRIVATE_DISK: Final = Path(__file__).with_name("private_disk.py").read_text()
"""A program that is run as text: a worker's user may have no right to read our files."""
_TRIAL: Final = (sys.executable, "-m", "workers.sandbox", "--least", "namespaces")

Undo = Callable[[], None]


class Disks(Protocol):
    """The disks of all workers of a run."""

    kind: str
    """Whether a full disk is "real" or "imitated" in this run."""

    def command(self, command: Sequence[str | Path]) -> list[str | Path]:
        """Return the command that starts a worker with its disk."""

    def fill(self, worker: Member) -> Undo | None:
        """Fill a worker's disk; return a function that frees it, None if it was full before."""


class OwnDisks:
    """A small file system in memory for each worker, which really fills up."""

    kind = "real"

    def __init__(self, folder: Path, *, size_bytes: int = SIZE_BYTES) -> None:
        """Mount disks at this folder, which stays as it is for all other processes."""
        self._folder = folder
        self._size_bytes = size_bytes

    def command(self, command: Sequence[str | Path]) -> list[str | Path]:
        """Return the command that mounts the disk before it becomes the worker."""
        python = (sys.executable, "-I", "-S", "-c", _PRIVATE_DISK)
        own = (*python, self._folder, str(self._size_bytes))
        return [*own, "env", f"TMPDIR={self._folder}", *command]

    def fill(self, worker: Member) -> Undo | None:
        """Fill the disk with a file without a name, which is gone when it is closed."""
        ballast = self._open_ballast(worker.pid)
        if ballast is None:
            return None
        if _write_until_full(ballast):
            return lambda: os.close(ballast)
        os.close(ballast)
        return None

    def _open_ballast(self, pid: int) -> int | None:
        """Open a file on the disk of a process, unless nothing is mounted there yet."""
        folder = os.open(f"/proc/{pid}/root{self._folder}", os.O_PATH | os.O_DIRECTORY)
        try:
            # The host's own disk must never be filled.
            if os.fstat(folder).st_dev == self._folder.stat().st_dev:
                return None
            return os.open(".", os.O_TMPFILE | os.O_WRONLY, 0o600, dir_fd=folder)
        finally:
            os.close(folder)


class ImitatedDisks:
    """The host's own disk; the kernel refuses writes that would make a worker's files grow."""

    kind = "imitated"

    def command(self, command: Sequence[str | Path]) -> list[str | Path]:
        """Return the command unchanged."""
        return list(command)

    def fill(self, worker: Member) -> Undo:
        """Refuse every write of a worker and its slots that lets a file grow."""
        _limit_files(worker, 0)
        return lambda: _limit_files(worker, None)


@contextmanager
def disks() -> Iterator[Disks]:
    """Give each worker a disk of its own if this host allows it and the sandbox works with it."""
    staging = Staging()
    try:
        own = OwnDisks(staging.new_folder())
        yield own if _works(own) else ImitatedDisks()
    finally:
        staging.close()


def _works(own: OwnDisks) -> bool:
    return subprocess.run(own.command(_TRIAL), capture_output=True, check=False).returncode == 0


def _write_until_full(file: int) -> bool:
    """Write until there is no room; return whether there was any."""
    written = 0
    while True:
        try:
            written += os.write(file, _CHUNK)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            return written > 0


def _limit_files(worker: Member, size: int | None) -> None:
    with suppress(ProcessLookupError):
        for pid in worker.family():
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))
