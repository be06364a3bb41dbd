"""Measures the scratch folder of a bot: a file system of its own, or a folder on the host."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Protocol

from workers.sandbox.resources.procfs import has_ended

_BLOCK_BYTES = 512
_LONGEST_MOUNT_S = 10.0
_MOUNT_TICK_S = 0.0005


class ScratchMeter(Protocol):
    """Measures the scratch folder of a bot."""

    def used(self) -> tuple[int, int]:
        """Return the number of files and the bytes in use."""

    def keep(self) -> int:
        """Return a descriptor of the folder; the caller closes it."""

    def lacks(self, size_bytes: int) -> bool:
        """Return whether the host lacks room for the rest of a scratch folder of this size."""


class MountedScratch:
    """A size-limited file system of the bot's own, seen through /proc."""

    def __init__(self, pid: int, *, size_bytes: int) -> None:
        """Wait until the bot's root is mounted; raise `OSError` if that fails.

        So a failed mount is the host's fault, and the folder stays in sight whatever becomes of
        the bot. The price is about 3 ms per start.
        """
        path = f"/proc/{pid}/root/tmp"
        deadline = time.monotonic() + _LONGEST_MOUNT_S
        while (descriptor := _open_mounted(path, size_bytes)) is None:
            if has_ended(pid) or time.monotonic() > deadline:
                raise ChildProcessError(f"process {pid} ended or hung while it was mounting")
            time.sleep(_MOUNT_TICK_S)
        self._descriptor = descriptor

    def used(self) -> tuple[int, int]:
        """Return the number of files and the bytes in use."""
        status = os.statvfs(self._descriptor)
        bytes_used = (status.f_blocks - status.f_bfree) * status.f_frsize
        return status.f_files - status.f_ffree, bytes_used

    def keep(self) -> int:
        """Return a descriptor that keeps the file system even when its namespace is gone."""
        return os.dup(self._descriptor)

    def lacks(self, size_bytes: int) -> bool:
        """Return False, because this file system belongs to the bot alone."""
        return False

    def close(self) -> None:
        """Close the folder."""
        os.close(self._descriptor)


class FolderScratch:
    """A folder on the host; counting stops soon after the limit, however full the folder is."""

    def __init__(self, folder: Path, *, most_files: int, most_bytes: int) -> None:
        self._folder = folder
        self._most_files = most_files
        self._most_bytes = most_bytes
        self._pid = 0

    def watch(self, pid: int) -> None:
        """Count from now on also the deleted files that this process holds."""
        self._pid = pid

    def used(self) -> tuple[int, int]:
        """Return the number of files and the bytes in use.

        A folder that cannot be read, because it is too deep or closed, counts as too many.
        """
        files, bytes_used = self._nameless()
        folders = [str(self._folder)]
        while folders and files <= self._most_files:
            try:
                entries = _entries(folders.pop(), most=self._most_files + 1)
            except FileNotFoundError:
                continue
            except OSError:
                return self._most_files + 1, bytes_used
            files += len(entries)
            bytes_used += sum(status.st_blocks * _BLOCK_BYTES for _, status in entries)
            folders += [path for path, status in entries if stat.S_ISDIR(status.st_mode)]
        return files, bytes_used

    def _nameless(self) -> tuple[int, int]:
        """Return the number and bytes of the files that were deleted and are still held.

        A file that is only mapped counts as the largest one allowed, because its size cannot be
        seen.
        """
        if not self._pid:
            return 0, 0
        opened = dict(_deleted_open_files(self._pid))
        mapped = _deleted_mapped_files(self._pid, self._folder) - opened.keys()
        held_bytes = sum(opened.values()) + len(mapped) * self._most_bytes
        return len(opened) + len(mapped), held_bytes

    def keep(self) -> int:
        """Return a descriptor of the folder, whose files are removed when the bot is stopped."""
        return os.open(self._folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)

    def lacks(self, size_bytes: int) -> bool:
        """Return whether the host's disk has less room than the bot may still use."""
        status = os.statvfs(self._folder)
        return status.f_bavail * status.f_frsize < size_bytes - self.used()[1]


def _deleted_open_files(pid: int) -> Iterator[tuple[int, int]]:
    """Yield inode and bytes of each file without a name that a process has opened."""
    folder = f"/proc/{pid}/fd"
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208  # at every look
            with suppress(OSError):
                status = os.stat(f"{folder}/{name}")  # noqa: PTH116  # at every look
                if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                    yield status.st_ino, status.st_blocks * _BLOCK_BYTES


def _deleted_mapped_files(pid: int, folder: Path) -> set[int]:
    """Return the inodes of deleted files, once in this folder, that a process has mapped."""
    beneath = b" " + os.fsencode(folder) + b"/"
    try:
        lines = Path(f"/proc/{pid}/maps").read_bytes().splitlines()
    except OSError:
        return set()
    deleted = (line for line in lines if line.endswith(b" (deleted)") and beneath in line)
    return {int(line.split(None, 5)[4]) for line in deleted}


def _open_mounted(path: str, size_bytes: int) -> int | None:
    """Open a folder if it is a file system of this size, which the host's folder is not."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        # Between the host's root and the bot's, a process has a root without any folders.
        return None
    status = os.statvfs(descriptor)
    if status.f_blocks * status.f_frsize == size_bytes:
        return descriptor
    os.close(descriptor)
    return None


def _entries(folder: str, *, most: int) -> list[tuple[str, os.stat_result]]:
    found = []
    with os.scandir(folder) as entries:
        for entry in islice(entries, most):
            with suppress(FileNotFoundError):
                found.append((entry.path, entry.stat(follow_symlinks=False)))
    return found
