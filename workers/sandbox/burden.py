"""What the kernel says about a running process."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_THREADS_FIELD, _RESIDENT_FIELD = 17, 21
"""Fields of /proc/PID/stat, counted behind the program's name."""


def process_cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process over all threads; `OSError` when it is gone."""
    return time.clock_gettime((~pid << 3) | 2)


class ScratchMeter(Protocol):
    """Measures the scratch folder of a bot."""

    def used(self) -> tuple[int, int]:
        """Return the number of files and the bytes in use."""

    def close(self) -> None:
        """Release what the meter holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Burden:
    """What a bot holds at this moment."""

    threads: int
    resident_bytes: int
    scratch_files: int
    scratch_bytes: int


def burden(pid: int, scratch: ScratchMeter) -> Burden:
    """Read the burden of a bot; `OSError` when it is gone or cannot be seen."""
    # The name may hold anything, brackets included.
    fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    files, bytes_used = scratch.used()
    return Burden(
        threads=int(fields[_THREADS_FIELD]),
        resident_bytes=int(fields[_RESIDENT_FIELD]) * _PAGE_BYTES,
        scratch_files=files,
        scratch_bytes=bytes_used,
    )


class MountedScratch:
    """A size-limited file system of the bot's own, seen through /proc."""

    def __init__(self, pid: int, *, size_bytes: int) -> None:
        self._path = f"/proc/{pid}/root/tmp"
        self._size_bytes = size_bytes
        self._descriptor = -1

    def used(self) -> tuple[int, int]:
        """Return the number of files and the bytes in use; zeros while it is being set up."""
        if self._descriptor < 0 and not self._open():
            return 0, 0
        status = os.statvfs(self._descriptor)
        bytes_used = (status.f_blocks - status.f_bfree) * status.f_frsize
        return status.f_files - status.f_ffree, bytes_used

    def _open(self) -> bool:
        """Open the folder, unless the bot's root is still the host's."""
        descriptor = os.open(self._path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        status = os.statvfs(descriptor)
        if status.f_blocks * status.f_frsize == self._size_bytes:
            self._descriptor = descriptor
            return True
        os.close(descriptor)
        return False

    def close(self) -> None:
        """Close the folder."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class FolderScratch:
    """A folder on the host; counting stops soon after the limit, however full it is."""

    def __init__(self, folder: str, *, most_files: int) -> None:
        self._folder = folder
        self._most_files = most_files

    def used(self) -> tuple[int, int]:
        """Return the number of files and the bytes in use."""
        files = bytes_used = 0
        folders = [self._folder]
        while folders and files <= self._most_files:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    files += 1
                    bytes_used += status.st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    if files > self._most_files:
                        break
        return files, bytes_used

    def close(self) -> None:
        """Do nothing: whoever made the folder removes it."""
