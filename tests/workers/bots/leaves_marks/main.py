"""Marks what the next match will find: times, locks, pages and hints of shared files."""

import ctypes
import fcntl
import json
import mmap
import os
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
SHARED = "/usr/bin/env"
F_SET_RW_HINT, SHORT_LIVED = 1036, 2
RWF_NOWAIT = 8
MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ = 20, 21, 22


@contextmanager
def opened(path: str) -> Iterator[int]:
    """Open a file to read."""
    descriptor = os.open(path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def times(path: str) -> bool:
    """Return whether a time of a file could be set."""
    before = Path(path).stat()
    # Anybody who may write to a file may set its times to now.
    os.utime(path)
    return Path(path).stat() != before


def hint() -> bool:
    """Leave two bits beside the inode of a file."""
    with opened(SHARED) as file:
        fcntl.fcntl(file, F_SET_RW_HINT, struct.pack("q", SHORT_LIVED))
        return True


def resident() -> bool:
    """Ask whether a page lies in memory."""
    with opened(SHARED) as file:
        return os.preadv(file, [bytearray(16)], 0, RWF_NOWAIT) >= 0


def mapped(advice: int) -> bool:
    """Have the kernel fetch, or drop, the pages of a file."""
    with opened(SHARED) as file:
        pages = mmap.mmap(file, 4096, prot=mmap.PROT_READ, flags=mmap.MAP_SHARED)
        pages.madvise(advice)
        return True


def seen_in_core() -> bool:
    """Ask which pages lie in memory."""
    vector = ctypes.create_string_buffer(1)
    return bool(
        libc.mincore(ctypes.c_void_p(id(vector) & ~4095), ctypes.c_size_t(4096), vector) == 0
    )


def exclusive_lock() -> bool:
    """Return whether a lock on a file keeps another one out."""
    with opened(SHARED) as first, opened(SHARED) as second:
        fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


def foreign_lock() -> bool:
    """Ask who else has locked a part of a file."""
    with opened(SHARED) as file:
        wish = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
        fcntl.fcntl(file, fcntl.F_GETLK, wish)
        return True


def lease() -> bool:
    """Ask to be told when another opens a file."""
    with opened(SHARED) as file:
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        return True


def note() -> bool:
    """Ask to be told when another touches a folder."""
    with opened("/usr") as folder:
        fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS)
        return True


MARKS: dict[str, Callable[[], bool]] = {
    **{f"times of {path}": partial(times, path) for path in ("/dev/null", SHARED)},
    "hint": hint,
    "resident": resident,
    "mincore": seen_in_core,
    **{
        f"advice {advice}": partial(mapped, advice)
        for advice in (MADV_COLD, MADV_PAGEOUT, MADV_POPULATE_READ)
    },
    "flock": exclusive_lock,
    "foreign lock": foreign_lock,
    "lease": lease,
    "note": note,
}
sys.stdin.readline()
escapes = []
for name, mark in MARKS.items():
    try:
        if mark():
            escapes.append(name)
    except OSError:
        continue
print(json.dumps(escapes), flush=True)
sys.stdin.read()
