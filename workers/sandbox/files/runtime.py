"""The files of the host that a bot sees: the system's programs, a Python, the engines."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

import pentathlon_engines
from pentathlon_engines.contract.bits import IS_COMPILED
from workers.sandbox.files.staging import Staging, can_reach, copy_tree, is_readable_by

ENGINES_AT = "/opt/pentathlon"
"""Where a bot sees the engines: outside its own folder, in which nothing is ever mounted."""

_SYSTEM_PYTHON = Path("/usr/bin/python3")
_OLDEST_PYTHON = (3, 11)
_SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64")
_LINKER_FILES = (Path("/etc/ld.so.cache"), Path("/etc/alternatives"))
_SHARED_LIBRARY = "*__mypyc.*.so"
"""The libraries that modules of a compiled build share, beside the package."""
NOT_FOR_BOTS = shutil.ignore_patterns(
    "site-packages", "test", "tests", "idlelib", "tkinter", "ensurepip", "config-*", "*.a",
    "include", "share", "pkgconfig", "jmods", "ct.sym", "src.zip", "man", "demo", "legal",
)  # fmt: skip
"""The parts of a run-time system that no bot needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bind:
    """A host path and the place where a bot sees it, read-only."""

    source: Path
    target: str

    def below(self, root: Path) -> Bind:
        """Return the same for a copy of the host's files in a folder."""
        return Bind(source=Path(f"{root}{self.target}"), target=self.target)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runtime:
    """The readable files that are the same for all bots.

    It is found by identity: to compare all paths at each start would take .1 ms.
    """

    python: str
    binds: tuple[Bind, ...]
    links: tuple[tuple[str, str], ...]
    """Pairs of target and link, for hosts where /bin, /lib and the like are links into /usr."""
    engines: tuple[Path, ...]
    """The engines package on the host and its shared libraries, if any; also among the binds."""
    packages: tuple[Path, ...] = ()
    """The packages that these bots can import besides the engines; also among the binds."""
    compiled: tuple[Path, ...] = ()
    """The compiled engines, if this worker has them and the bots' Python can load them."""

    @cache  # noqa: B019  # there are few, and they live as long as the worker
    def with_compiled(self) -> Runtime:
        """Return the same files with the compiled engines, where there are any."""
        if not self.compiled:
            return self
        binds = [bind for bind in self.binds if bind.source not in self.engines]
        binds += _binds_beside_engines(self.compiled)
        return replace(self, binds=tuple(binds), engines=self.compiled)

    def with_paths(self, paths: Sequence[Path]) -> Runtime:
        """Return the same files and some others of the host, at the same paths."""
        more = (Bind(source=path, target=str(path)) for path in paths)
        return replace(self, binds=(*self.binds, *more))

    def without_python(self) -> Runtime:
        """Return the same files for bots that need no Python, where it is not the system's."""
        binds = [
            bind
            for bind in self.binds
            if is_system(bind) or not Path(self.python).is_relative_to(bind.target)
        ]
        return replace(self, binds=tuple(binds))

    def python_library(self) -> Path:
        """Return the folder of the standard library."""
        program = Path(os.path.realpath(self.python))
        return program.parent.parent / "lib" / program.name

    def on_host(self, path: str) -> Path:
        """Return the path on the host of what a bot in namespaces sees at `path`."""
        for bind in self.binds:
            if Path(path).is_relative_to(bind.target):
                return bind.source / Path(path).relative_to(bind.target)
        return Path(path)


def find_runtime(
    staging: Staging, *, uid: int, system_python: bool = True, packages: Sequence[str] = ()
) -> Runtime:
    """Return the files of the system's Python if it is recent enough, else those of our own.

    Packages are ours and made for our version of Python, so bots that have some run ours.
    """
    binds, links = _system()
    python = _bot_python(system_python=system_python and not packages)
    if python != str(_SYSTEM_PYTHON):
        binds += _prefix(Path(sys.base_prefix).resolve(), staging, uid=uid)
    own = _stage_engines(staging, uid=uid)
    is_compiled = any(path.match(_SHARED_LIBRARY) for path in own)
    engines = _stage_sources(staging) if is_compiled else own
    beside = _stage(_folders_of(packages), staging, uid=uid)
    return Runtime(
        python=python,
        binds=(*binds, *_binds_beside_engines((*engines, *beside))),
        links=tuple(links),
        engines=tuple(engines),
        packages=tuple(beside),
        compiled=tuple(own) if is_compiled and _loads_our_extensions(python) else (),
    )


def is_system(bind: Bind) -> bool:
    """Return whether a bind shows a part of the system, of which a bot needs little."""
    folders = {"/usr", *(f"/{name}" for name in _SYSTEM_FOLDERS), *map(str, _LINKER_FILES)}
    return bind.target in folders


def shows_compiled() -> bool:
    """Return whether bots in a sandbox of this worker can be shown compiled engines."""
    python = _bot_python()
    return IS_COMPILED and _loads_our_extensions(python)


def library_path(python: Path) -> dict[str, str]:
    """Return the environment in which a Python outside /usr finds its library."""
    if python.is_relative_to("/usr"):
        return {}
    return {"LD_LIBRARY_PATH": str(python.parent.parent / "lib")}


def _system() -> tuple[list[Bind], list[tuple[str, str]]]:
    binds, links = [Bind(source=Path("/usr"), target="/usr")], []
    for name in _SYSTEM_FOLDERS:
        path = Path("/", name)
        if path.is_symlink():
            links.append((str(path.readlink()), str(path)))
        elif path.is_dir():
            binds.append(Bind(source=path, target=str(path)))
    binds += [Bind(source=path, target=str(path)) for path in _LINKER_FILES if path.exists()]
    return binds, links


def _bot_python(*, system_python: bool = True) -> str:
    if system_python and _is_recent(_SYSTEM_PYTHON):
        return str(_SYSTEM_PYTHON)
    return os.path.realpath(sys.executable)


def _is_recent(python: Path) -> bool:
    if not python.exists():
        return False
    answer = subprocess.run(
        [python, "-I", "-S", "-c", "import sys; print(*sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    version = tuple(int(part) for part in answer.stdout.split())
    return version >= _OLDEST_PYTHON


def _binds_beside_engines(packages: Sequence[Path]) -> list[Bind]:
    return [Bind(source=path, target=f"{ENGINES_AT}/{path.name}") for path in packages]


def _loads_our_extensions(python: str) -> bool:
    """Return whether a Python loads modules that were compiled for this one."""
    if python == os.path.realpath(sys.executable):
        return True
    answer = subprocess.run(
        [python, "-I", "-S", "-c", "import _imp; print(_imp.extension_suffixes()[0])"],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return answer.stdout.strip() == EXTENSION_SUFFIXES[0]


def _prefix(prefix: Path, staging: Staging, *, uid: int) -> list[Bind]:
    if prefix.is_relative_to("/usr"):
        return []
    landmark = prefix / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    source = prefix
    if not (can_reach(landmark, uid) and is_readable_by(landmark / "os.py", uid)):
        source = staging.new_folder() / prefix.name
        copy_tree(prefix, source, ignore=NOT_FOR_BOTS)
    return [Bind(source=source, target=str(prefix))]


def _stage_engines(staging: Staging, *, uid: int) -> list[Path]:
    package = _package()
    # A compiled build has shared libraries beside the package.
    return _stage([package, *sorted(package.parent.glob(_SHARED_LIBRARY))], staging, uid=uid)


def _folders_of(packages: Sequence[str]) -> list[Path]:
    """Return the folders of installed packages, and those of the libraries that they bring."""
    found = [spec.origin for name in packages if (spec := find_spec(name)) and spec.origin]
    folders = [Path(origin).resolve().parent for origin in found]
    return [*folders, *filter(Path.is_dir, (Path(f"{folder}.libs") for folder in folders))]


def _stage(files: Sequence[Path], staging: Staging, *, uid: int) -> list[Path]:
    """Return files and folders that bots can read: these, or copies beside each other."""
    if all(is_readable_by(path, uid) for path in files):
        return list(files)
    folder = staging.new_folder()
    for path in files:
        copy_tree(path, folder / path.name, ignore=NOT_FOR_BOTS)
    return [folder / path.name for path in files]


def _stage_sources(staging: Staging) -> list[Path]:
    """Copy the engines without compiled files, which Python prefers and bots may not use."""
    copy = staging.new_folder() / "pentathlon_engines"
    copy_tree(_package(), copy, ignore=shutil.ignore_patterns("*.so", "compiled.txt"))
    return [copy]


def _package() -> Path:
    return Path(pentathlon_engines.__path__[0]).resolve()
