"""Makes host files reachable for the user that a bot runs as."""

from __future__ import annotations

import fcntl
import itertools
import os
import secrets
import shutil
import stat
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "pentathlon-sandbox-"
_TEMPORARY = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108  # names are made up by mkdtemp
_ANYBODY = 65534
_READ, _TRAVERSE = 4, 1
_FOR_ALL = 0o755

_Sign = tuple[int, int] | None
"""Size and time of change in nanoseconds; None for what is not there."""


class Staging:
    """A private folder that every user may traverse, for copies of what a bot cannot reach.

    It vanishes with `close()`, with this object, or, after a killed worker, when the next
    staging folder on this machine is made. One that somebody else removes is made anew.
    """

    def __init__(self) -> None:
        self._held = _Held()
        self._held.make()
        self.close = weakref.finalize(self, self._held.remove)
        _all.add(self)

    @property
    def folder(self) -> Path:
        """Where it is now."""
        return self._held.folder

    def restore(self) -> Path:
        """Make it anew if it is gone; return where it is."""
        if not self.folder.exists():
            self._held.make()
        return self.folder

    def new_folder(self, undo: ExitStack | None = None) -> Path:
        """Return an empty folder that every user may traverse and `undo` removes."""
        folder = Path(tempfile.mkdtemp(dir=self.restore()))
        folder.chmod(0o711)
        if undo is not None:
            undo.callback(remove_tree, folder)
        return folder


class Inventory:
    """What lay in some folders once: a cleaner of temporary files may take any of it away."""

    def __init__(self, *folders: Path) -> None:
        self._files = [file for folder in folders for file in _files_in(folder)]

    def is_complete(self) -> bool:
        """Say whether all of it is still there and no file has been written to."""
        return all(_sign(path) == sign for path, sign in self._files)


def close_all() -> None:
    """Remove every staging folder of this process, which ends without ceremony."""
    for staging in list(_all):
        staging.close()


def sweep(parent: Path) -> None:
    """Remove from a folder the staging folders of workers that are gone."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            if folder.lstat().st_uid == os.geteuid():
                lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                _remove_if_unlocked(folder, lock)
        except OSError:
            continue


def is_readable_by(path: Path, uid: int) -> bool:
    """Say whether a user without groups can reach a file, or everything in a folder."""
    if uid == os.geteuid():
        return True
    if not can_reach(path, uid):
        return False
    if not path.is_dir():
        return _may(path, uid, _READ)
    return all(
        _may(Path(folder), uid, _READ | _TRAVERSE)
        and all(_may(Path(folder, name), uid, _READ) for name in files)
        for folder, _, files in os.walk(path)
    )


def can_reach(path: Path, uid: int) -> bool:
    """Say whether a user without groups can traverse every folder above an absolute path."""
    return uid == os.geteuid() or all(_may(parent, uid, _TRAVERSE) for parent in path.parents)


def copy_tree(
    source: Path,
    copy: Path,
    *,
    ignore: Callable[[str, list[str]], Iterable[str]] | None = None,
) -> None:
    """Copy a file or folder so that every user can read it; links are kept, never followed."""
    if not source.is_dir():
        _copy_file(str(source), str(copy))
        return
    shutil.copytree(source, copy, symlinks=True, ignore=ignore, copy_function=_copy_file)
    for folder, _, _ in os.walk(copy):
        Path(folder).chmod(_FOR_ALL)


def remove_tree(folder: Path) -> None:
    """Remove a folder that a bot may have made deep, or closed to its owner, as far as it goes.

    What lies in a folder of it is moved up to it, so that no path grows and nothing recurses.
    """
    names = (f"{secrets.token_hex(8)}-{number}" for number in itertools.count())
    with suppress(OSError):
        while entries := _opened(folder):
            for path in entries:
                if not _is_folder(path):
                    path.unlink()
                    continue
                for inner in _opened(path):
                    _open_up(inner)
                    inner.rename(folder / next(names))
                path.rmdir()
        folder.rmdir()


def _opened(folder: Path) -> list[Path]:
    _open_up(folder)
    return list(folder.iterdir())


def _open_up(path: Path) -> None:
    if _is_folder(path) and os.geteuid() != 0:
        path.chmod(0o700)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _copy_file(source: str, copy: str, *, follow_symlinks: bool = False) -> None:
    """Copy content and time; a Python trusts its bytecode only while the times agree."""
    shutil.copyfile(source, copy, follow_symlinks=follow_symlinks)
    if Path(copy).is_symlink():
        return
    status = Path(source).stat()
    Path(copy).chmod(_FOR_ALL if status.st_mode & 0o100 else 0o644)
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def _reachable_parent() -> Path:
    """Return a folder for temporary files that every user may traverse."""
    folders = _parents()
    for folder in folders:
        if os.access(folder, os.W_OK) and can_reach(folder / "any", _ANYBODY):
            return folder
    return folders[0]


def _parents() -> list[Path]:
    """Return all folders that a staging folder may be in: which one depends on what is full."""
    return list(dict.fromkeys((Path(tempfile.gettempdir()).resolve(), *_TEMPORARY)))


def _files_in(folder: Path) -> Iterator[tuple[str, _Sign]]:
    yield str(folder), _sign(str(folder))
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = f"{parent}/{name}"
            yield path, _sign(path)


def _sign(path: str) -> _Sign:
    """Return what a file is known by; for a folder, only that it is there."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return (0, 0)
    return status.st_size, status.st_mtime_ns


def _may(path: Path, uid: int, bits: int) -> bool:
    status = path.lstat()
    if path.is_symlink():
        return True
    shift = 6 if status.st_uid == uid else 0
    return (status.st_mode >> shift) & bits == bits


class _Held:
    """A folder under a name that sweeps know, locked for as long as its maker lives."""

    def __init__(self) -> None:
        self.folder = Path()
        self._lock = -1
        self._maker = os.getpid()

    def make(self) -> None:
        """Make the folder; the one before, if any, is gone."""
        self._unlock()
        for parent in _parents():
            sweep(parent)
        parent = _reachable_parent()
        made = Path(tempfile.mkdtemp(prefix="pentathlon-new-", dir=parent))
        self._lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        # Under its final name it is locked from the start, so that nobody sweeps it away.
        self.folder = made.rename(parent / f"{PREFIX}{made.name.rpartition('-')[2]}")
        self.folder.chmod(0o711)

    def remove(self) -> None:
        """Remove the folder, but not from a fork of the process that made it."""
        if os.getpid() == self._maker:
            remove_tree(self.folder)
            self._unlock()

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _remove_if_unlocked(folder: Path, lock: int) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(folder)
    except BlockingIOError:
        return
    finally:
        os.close(lock)


_all: Final[weakref.WeakSet[Staging]] = weakref.WeakSet()
