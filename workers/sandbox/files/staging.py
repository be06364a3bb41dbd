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

_Fingerprint = tuple[int, int] | None
"""Size and modification time in nanoseconds; None for a file that does not exist."""


class Staging:
    """A private folder that every user may traverse, for copies of files that a bot cannot reach.

    The folder is removed by `close()`, with this object or, if its worker was killed, when the
    next staging folder on this machine is made. If somebody else removes the folder, it is made
    again.
    """

    def __init__(self, parent: Path | None = None) -> None:
        """Make the folder in `parent`, else where there is room for temporary files."""
        self._locked = _LockedFolder(parent)
        self._locked.make()
        self.close = close_at_end(self, self._locked.remove)

    @property
    def folder(self) -> Path:
        """The current path of the folder."""
        return self._locked.folder

    def restore(self) -> Path:
        """Make the folder again if it is gone; return its path."""
        if not self.folder.exists():
            self._locked.make()
        return self.folder

    def new_folder(self, undo: ExitStack | None = None) -> Path:
        """Return an empty folder that every user may traverse; `undo` removes it."""
        folder = Path(tempfile.mkdtemp(dir=self.restore()))
        folder.chmod(0o711)
        if undo is not None:
            undo.callback(remove_tree, folder)
        return folder


class Inventory:
    """The files of some folders at one time; a cleaner of temporary files may remove any."""

    def __init__(self, *folders: Path) -> None:
        self._files = [file for folder in folders for file in _files_in(folder)]

    def is_complete(self) -> bool:
        """Return whether every file is still there and unchanged."""
        return all(_fingerprint(path) == sign for path, sign in self._files)


def close_at_end(owner: object, close: Callable[[], None]) -> Callable[[], object]:
    """Return a function that closes something once: when called, with its owner or at the end."""
    closing = weakref.finalize(owner, close)
    _all.append(closing)
    _all[:] = [each for each in _all if each.alive]
    return closing


def close_all() -> None:
    """Remove every staging folder of this process, which ends without exit handlers."""
    for closing in _all:
        closing()


def sweep(parent: Path) -> None:
    """Remove the staging folders of dead workers from a folder."""
    for folder in parent.glob(f"{PREFIX}*"):
        try:
            if folder.lstat().st_uid == os.geteuid():
                lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                remove_if_unlocked(folder, lock)
        except OSError:
            continue


def new_locked_folder(parent: Path, operation: int = fcntl.LOCK_EX) -> tuple[Path, int]:
    """Make a folder that every user may traverse; return it and the descriptor that locks it."""
    made = Path(tempfile.mkdtemp(prefix="pentathlon-new-", dir=parent))
    lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, operation)
    # The folder gets the name that `sweep` knows only when it is locked, so that it stays.
    folder = made.rename(parent / f"{PREFIX}{made.name.rpartition('-')[2]}")
    folder.chmod(0o711)
    return folder, lock


def remove_if_unlocked(folder: Path, lock: int) -> None:
    """Remove a folder unless another process holds its lock; close our descriptor."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        remove_tree(folder)
    except BlockingIOError:
        return
    finally:
        os.close(lock)


def is_readable_by(path: Path, uid: int) -> bool:
    """Return whether a user without groups can read a file, or everything in a folder."""
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
    """Return whether a user without groups can traverse every folder above an absolute path."""
    return uid == os.geteuid() or all(_may(parent, uid, _TRAVERSE) for parent in path.parents)


def copy_tree(
    source: Path,
    copy: Path,
    *,
    ignore: Callable[[str, list[str]], Iterable[str]] | None = None,
) -> None:
    """Copy a file or folder so that every user can read it; links are kept, never followed.

    A file that vanishes meanwhile is left out: a Python that writes bytecode makes such files.
    """
    if not source.is_dir():
        copy_file(str(source), str(copy))
        return
    shutil.copytree(source, copy, symlinks=True, ignore=ignore, copy_function=_copy_if_there)
    for folder, _, _ in os.walk(copy):
        Path(folder).chmod(_FOR_ALL)


def remove_tree(folder: Path) -> None:
    """Remove as much as possible of a folder, however deep or unreadable a bot has made it.

    Entries of inner folders are moved up to the top, so that no path grows and nothing recurses.
    """
    names = (f"{secrets.token_hex(8)}-{number}" for number in itertools.count())
    with suppress(OSError):
        while entries := _open_and_list(folder):
            for path in entries:
                if not _is_folder(path):
                    path.unlink()
                    continue
                for inner in _open_and_list(path):
                    _open_up(inner)
                    inner.rename(folder / next(names))
                path.rmdir()
        folder.rmdir()


def _open_and_list(folder: Path) -> list[Path]:
    _open_up(folder)
    return list(folder.iterdir())


def _open_up(path: Path) -> None:
    if _is_folder(path) and os.geteuid() != 0:
        path.chmod(0o700)


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def copy_file(source: str, copy: str, *, follow_symlinks: bool = False) -> None:
    """Copy content and time; a Python trusts its bytecode only while the times agree."""
    shutil.copyfile(source, copy, follow_symlinks=follow_symlinks)
    if Path(copy).is_symlink():
        return
    status = Path(source).stat()
    Path(copy).chmod(_FOR_ALL if status.st_mode & 0o100 else 0o644)
    os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))


def _copy_if_there(source: str, copy: str, *, follow_symlinks: bool = False) -> None:
    with suppress(FileNotFoundError):
        copy_file(source, copy, follow_symlinks=follow_symlinks)


def _reachable_parent() -> Path:
    """Return a folder for temporary files that every user may traverse."""
    folders = _parents()
    for folder in folders:
        if os.access(folder, os.W_OK) and can_reach(folder / "any", _ANYBODY):
            return folder
    return folders[0]


def _parents() -> list[Path]:
    """Return all folders that may hold a staging folder; free space decides which one is used."""
    return list(dict.fromkeys((Path(tempfile.gettempdir()).resolve(), *_TEMPORARY)))


def _files_in(folder: Path) -> Iterator[tuple[str, _Fingerprint]]:
    yield str(folder), _fingerprint(str(folder))
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = f"{parent}/{name}"
            yield path, _fingerprint(path)


def _fingerprint(path: str) -> _Fingerprint:
    """Return the size and time of a file, zeros for any folder, None if there is nothing."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        return (0, 0)
    return status.st_size, status.st_mtime_ns


def _may(path: Path, uid: int, bits: int) -> bool:
    """Return whether a user has these permissions; links and vanished files refuse nobody."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return True
    if stat.S_ISLNK(status.st_mode):
        return True
    shift = 6 if status.st_uid == uid else 0
    return (status.st_mode >> shift) & bits == bits


class _LockedFolder:
    """A folder with a name that `sweep` knows, locked while its maker lives."""

    def __init__(self, parent: Path | None) -> None:
        self.folder = Path()
        self._parent = parent
        self._lock = -1
        self._maker = os.getpid()

    def make(self) -> None:
        """Make the folder in place of one that is gone."""
        self._unlock()
        for parent in _parents():
            sweep(parent)
        self.folder, self._lock = new_locked_folder(self._parent or _reachable_parent())

    def remove(self) -> None:
        """Remove the folder, but not from a fork of the process that made it."""
        if os.getpid() == self._maker:
            remove_tree(self.folder)
            self._unlock()

    def _unlock(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


_all: Final[list[weakref.finalize[..., object]]] = []
