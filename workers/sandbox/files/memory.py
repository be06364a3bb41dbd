"""Copies of the host's files in memory, in which no bot can leave a trace.

A file system on a disk remembers in the kernel's memory which names it lacks and which pages were
read. The next bot finds a name that an earlier one looked up in a fifth of the time, so bots could
keep notes from match to match. A file system in memory (tmpfs) forgets absent names at once, and
its names and pages are all there from the start.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pentathlon_engines.match.launcher import BOT_PATH
from workers.sandbox.files.runtime import NOT_FOR_BOTS, Bind, Runtime, is_system, library_path
from workers.sandbox.files.staging import (
    PREFIX,
    Inventory,
    Staging,
    can_reach,
    close_at_end,
    copy_file,
    new_locked_folder,
    remove_if_unlocked,
    sweep,
)
from workers.sandbox.profiles import Profile

_FOLDERS: Final = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  # names are made up by mkdtemp
_SHELL: Final = Path("/bin/sh")
_TOOLS: Final = (
    "sh", "bash", "cat", "cp", "echo", "env", "false", "head", "ls", "mkdir", "rm", "sleep",
    "sort", "tail", "true", "wc",
)  # fmt: skip
# What the compilers of builds link to, for bots that are programs of their own.
_LIBRARIES: Final = tuple(
    f"{folder}/{name}"
    for folder in ("lib*", "usr/lib*", "lib/*-linux-*", "usr/lib/*-linux-*")
    for name in (
        "ld-linux*.so*", "libc.so.*", "libm.so.*", "libmvec.so.*", "libdl.so.*", "librt.so.*",
        "libpthread.so.*", "libutil.so.*", "libanl.so.*", "libresolv.so.*", "libgcc_s.so.*",
        "libstdc++.so.*", "libgomp.so.*", "libatomic.so.*", "libquadmath.so.*", "libz.so.*",
    )
)  # fmt: skip
_LOCALE: Final = "usr/lib/locale/C.*"
_START_BYTES: Final = 4096
"""In these first bytes a program names the loader of its libraries."""
_LOADER_TIMEOUT_S: Final = 30
_KEY_LENGTH: Final = 16


def find_memory(uid: int) -> Path | None:
    """Return a folder in memory in which programs may run and which a user can reach, if any."""
    for folder in map(Path, (tempfile.gettempdir(), *_FOLDERS)):
        with suppress(OSError):
            resolved = folder.resolve(strict=True)
            is_ours = os.access(resolved, os.W_OK) and can_reach(resolved / "any", uid)
            if is_ours and _is_in_memory(resolved):
                return resolved
    return None


def _is_in_memory(path: Path) -> bool:
    """Return whether a path lies on a tmpfs whose programs may run."""
    if os.statvfs(path).f_flag & os.ST_NOEXEC:
        return False
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    mounts = (line.split() for line in lines)
    return any(words[2] == number and words[words.index("-") + 1] == "tmpfs" for words in mounts)


class MemoryFiles:
    """The files that bots see, copied into memory once for all workers of one user."""

    def __init__(self, parent: Path) -> None:
        self.parent = parent
        self._device = parent.stat().st_dev
        self._undo = ExitStack()
        self.staging = Staging(parent)
        """A private folder in memory, for copies of bots."""
        self._undo.callback(self.staging.close)
        self._inventories: list[Inventory] = []
        self._made: dict[tuple[Runtime, str], Runtime] = {}
        self.close = close_at_end(self, self._undo.close)
        """Remove the copies that no other worker uses."""

    def copy_of(self, runtime: Runtime, profile: Profile) -> Runtime:
        """Return the same files in memory, of the system only what bots of a profile need.

        Raises:
            OSError: there is no room in memory.
        """
        key = (runtime, profile.name)
        if key not in self._made:
            self._made[key] = self._copy(runtime, profile)
        return self._made[key]

    def hold(self, folder: Path) -> bool:
        """Return whether a folder lies in the same memory, in a private folder of a worker."""
        is_near = folder.is_relative_to(self.parent) and folder.stat().st_dev == self._device
        return is_near and folder.relative_to(self.parent).parts[0].startswith(PREFIX)

    def forget(self) -> None:
        """Copy everything again before the next bot; running bots keep what they have."""
        self._made.clear()
        self._inventories.clear()

    def is_complete(self) -> bool:
        """Return whether every copy is still there and unchanged."""
        return all(inventory.is_complete() for inventory in self._inventories)

    def _copy(self, runtime: Runtime, profile: Profile) -> Runtime:
        if profile.program:
            runtime = runtime.without_python()
        plan = _plan(runtime, profile)
        binds = runtime.with_paths(profile.extra_paths()).binds
        sweep(self.parent)
        root = self._join(plan) or self._make(plan, binds)
        self._inventories.append(Inventory(root))
        return replace(runtime, binds=tuple(bind.below(root) for bind in binds))

    def _join(self, plan: _Plan) -> Path | None:
        """Return the copies of another worker if they are whole, and keep them from removal."""
        folder = self._shared_folder(plan)
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            if os.fstat(lock).st_uid == os.geteuid() and plan.is_copied_to(folder):
                self._keep(folder, lock)
                return folder
        except OSError:
            pass
        os.close(lock)
        return None

    def _make(self, plan: _Plan, binds: Iterable[Bind]) -> Path:
        folder, lock = new_locked_folder(self.parent, fcntl.LOCK_SH)
        try:
            folder.chmod(0o755)
            plan.copy_to(folder)
            for bind in binds:
                if bind.source.is_dir():
                    Path(f"{folder}{bind.target}").mkdir(mode=0o755, parents=True, exist_ok=True)
        except BaseException:
            remove_if_unlocked(folder, lock)
            raise
        with suppress(OSError):  # another worker was faster; then each has its own
            folder = folder.rename(self._shared_folder(plan))
        self._keep(folder, lock)
        return folder

    def _shared_folder(self, plan: _Plan) -> Path:
        """Return where all workers of this user look for the copy."""
        return self.parent / f"{PREFIX}{os.geteuid()}-{plan.key()}"

    def _keep(self, folder: Path, lock: int) -> None:
        maker = os.getpid()

        def release() -> None:
            if os.getpid() == maker:
                remove_if_unlocked(folder, lock)

        self._undo.callback(release)


@dataclass(kw_only=True)
class _Plan:
    """The files and links of a bot's root, by the paths at which the bot sees them."""

    visible: Sequence[str]
    """The folders and files of the host that a bot may see; links out of them lead nowhere."""
    files: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)

    def add(self, path: Path) -> None:
        """Add a file with the links on its way, or all that a folder holds."""
        with suppress(OSError):
            self._add(path.parent.resolve(strict=True) / path.name)

    def add_tree(self, source: Path, target: str) -> None:
        """Add a folder or file of the host at another place."""
        if source.is_symlink():
            self.links[target] = str(source.readlink())
        elif source.is_dir():
            for path in _wanted_in(source):
                self.add_tree(path, f"{target}/{path.name}")
        else:
            self.files[target] = str(source)

    def key(self) -> str:
        """Return a name for what the copy will hold."""
        entries = [
            *((place, *_sign(source)) for place, source in sorted(self.files.items())),
            *sorted(self.links.items()),
        ]
        return hashlib.sha256(repr(entries).encode()).hexdigest()[:_KEY_LENGTH]

    def is_copied_to(self, folder: Path) -> bool:
        """Return whether a folder holds all of it."""
        return all(_sign(f"{folder}{place}") == _sign(path) for place, path in self.files.items())

    def copy_to(self, folder: Path) -> None:
        """Copy everything into a folder; a file that vanishes meanwhile is left out."""
        for parent in {Path(place).parent for place in (*self.files, *self.links)}:
            Path(f"{folder}{parent}").mkdir(mode=0o755, parents=True, exist_ok=True)
        for place, source in self.files.items():
            with suppress(FileNotFoundError):
                copy_file(source, f"{folder}{place}", follow_symlinks=True)
        for place, text in self.links.items():
            Path(f"{folder}{place}").symlink_to(text)

    def _add(self, path: Path) -> None:
        place = str(path)
        if place in self.links or place in self.files or not self._shows(place):
            return
        if path.is_symlink():
            self.links[place] = str(path.readlink())
            self.add(path.parent / path.readlink())
        elif path.is_dir():
            for inner in _wanted_in(path):
                self._add(inner)
        elif path.is_file():
            self.files[place] = place

    def _shows(self, place: str) -> bool:
        return any(place == path or place.startswith(f"{path}/") for path in self.visible)


def _plan(runtime: Runtime, profile: Profile) -> _Plan:
    """Return the copy of what bots of a profile need."""
    system, extra = [*filter(is_system, runtime.binds)], profile.extra_paths()
    plan = _Plan(visible=[*(bind.target for bind in system), *map(str, extra)])
    programs = [*_found(_TOOLS), *_found([profile.program])]
    if not profile.program:
        programs.append(Path(runtime.python))
        plan.add(runtime.python_library())
    patterns = (*_LIBRARIES, _LOCALE, *profile.system_files())
    matching = (path for pattern in patterns for path in Path("/").glob(pattern))
    caches = (bind.source for bind in system if bind.source.is_file())
    for path in (*programs, *matching, *caches, *extra):
        plan.add(path)
    for bind in runtime.binds:
        if not is_system(bind):
            plan.add_tree(bind.source, bind.target)
    libraries = [path for path in plan.files.values() if ".so" in Path(path).name]
    for path in _loaded(programs, libraries, library_path(Path(runtime.python))):
        plan.add(path)
    return plan


def _wanted_in(folder: Path) -> list[Path]:
    names = [path.name for path in folder.iterdir()]
    return [folder / name for name in sorted(set(names) - set(NOT_FOR_BOTS(str(folder), names)))]


def _found(programs: Iterable[str]) -> Iterator[Path]:
    for program in programs:
        if program and (path := shutil.which(program, path=BOT_PATH)):
            yield Path(path)


def _loaded(
    programs: Iterable[Path], libraries: Iterable[str], environment: Mapping[str, str]
) -> Iterator[Path]:
    """Yield the libraries that the loader would load for programs, and for other libraries.

    The loader only lists them, and runs nothing.
    """
    wanted = (path for path in libraries if not Path(path).name.startswith("ld-linux"))
    preloaded = {"LD_PRELOAD": ":".join(wanted)}
    for program, more in ((_SHELL, preloaded), *((each, {}) for each in programs)):
        if b"/ld-" not in program.read_bytes()[:_START_BYTES]:
            continue  # a script, or a program without libraries, which would run
        listed = subprocess.run(
            [program],
            env={"LD_TRACE_LOADED_OBJECTS": "1", **environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_LOADER_TIMEOUT_S,
        )
        for line in listed.stdout.splitlines():
            path = line.partition("=>")[2].strip() or line.strip()
            if path.startswith("/"):
                yield Path(path.split(" (")[0])


def _sign(path: str) -> tuple[int, int]:
    """Return size and time of a file, which its copy shares; zeros if there is none."""
    try:
        status = os.stat(path)  # noqa: PTH116  # of some thousand files
    except OSError:
        return (0, 0)
    return status.st_size, status.st_mtime_ns
