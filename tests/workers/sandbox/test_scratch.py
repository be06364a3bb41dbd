"""What lies in a scratch folder on the host, hidden or not, is counted."""

from __future__ import annotations

import ctypes
import mmap
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from workers.sandbox.resources.scratch import FolderScratch, MountedScratch

MOST_FILES = 8
MOST_BYTES = 1 << 20
PAGE = 4096
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = (
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "scratch"
    made.mkdir()
    return made


def meter(folder: Path) -> FolderScratch:
    return FolderScratch(folder, most_files=MOST_FILES, most_bytes=MOST_BYTES)


def fill(path: Path, pages: int = 1) -> None:
    path.write_bytes(bytes(range(256)) * 16 * pages)


def test_empty_folder_holds_nothing(folder: Path) -> None:
    assert meter(folder).used() == (0, 0)


def test_files_in_inner_folders_count_with_their_folders(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    fill(folder / "top")
    fill(folder / "a" / "b" / "deep", pages=4)

    files, used = meter(folder).used()

    assert files == 4
    assert used >= 5 * PAGE


def test_counting_stops_soon_after_the_limit(folder: Path) -> None:
    for number in range(10 * MOST_FILES):
        (folder / f"{number}").touch()

    assert meter(folder).used()[0] == MOST_FILES + 1


def test_folder_too_deep_to_read_counts_as_too_many(folder: Path) -> None:
    here = os.getcwd()  # noqa: PTH109  # a path of this length has no other name
    os.chdir(folder)
    try:
        for _ in range(20):
            os.mkdir("d" * 250)  # noqa: PTH102
            os.chdir("d" * 250)
        counted = FolderScratch(folder, most_files=100, most_bytes=MOST_BYTES).used()[0]
    finally:
        os.chdir(here)

    assert counted > 100


def test_folder_that_is_removed_meanwhile_holds_nothing(folder: Path) -> None:
    watched = meter(folder)
    folder.rmdir()

    assert watched.used() == (0, 0)


def open_deleted(path: Path) -> Callable[[], None]:
    file = path.open("w+b")
    file.write(bytes(4 * PAGE))
    file.flush()
    path.unlink()
    return file.close


def map_deleted(path: Path) -> Callable[[], None]:
    """Map a file without keeping it open, as Python's own `mmap` would."""
    fill(path)
    with path.open("r+b") as file:
        at = LIBC.mmap(None, PAGE, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
    path.unlink()
    return lambda: LIBC.munmap(ctypes.c_void_p(at), PAGE)


class Hidden(NamedTuple):
    """A file without a name, and how much it counts for."""

    hide: Callable[[Path], Callable[[], None]]
    used_bytes: int


@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param(Hidden(open_deleted, used_bytes=4 * PAGE), id="open"),
        pytest.param(Hidden(map_deleted, used_bytes=MOST_BYTES), id="mapped, of unknown size"),
    ],
)
def test_deleted_file_counts_as_long_as_a_watched_process_holds_it(
    hidden: Hidden, folder: Path
) -> None:
    release = hidden.hide(folder / "file")
    watched = meter(folder)
    assert watched.used() == (0, 0), "nobody is watched yet"
    watched.watch(os.getpid())
    # The tests' own process may hold deleted files elsewhere.
    held = watched.used()

    release()
    released = watched.used()

    assert held[0] == released[0] + 1
    assert held[1] >= released[1] + hidden.used_bytes


def test_room_that_a_bot_has_used_needs_not_be_free(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Disk(NamedTuple):
        f_bavail: int
        f_frsize: int = PAGE

    fill(folder / "file", pages=6)
    monkeypatch.setattr(os, "statvfs", lambda _: Disk(f_bavail=4))

    assert meter(folder).lacks(11 * PAGE)
    assert not meter(folder).lacks(10 * PAGE)


def test_process_that_never_mounts_is_the_hosts_failure() -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)

    with pytest.raises(OSError, match="ended or hung while it was mounting"):
        MountedScratch(child, size_bytes=1)
