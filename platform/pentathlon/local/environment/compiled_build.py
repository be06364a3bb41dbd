"""The compiled engines: built from the checkout when its sources have changed, and kept.

`python -m pentathlon.local.environment.compiled_build` runs the tests of the engines on them, with
pytest's options; with `--build` it only builds, and prints the folder.
"""

from __future__ import annotations

import compileall
import os
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pentathlon.env import CHECKOUT, child_environment, read_environment
from pentathlon.local.environment.installer import InstallFailed, install
from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import last_lines

_BUILDER = CHECKOUT / "engines/build_compiled.py"
_REQUIREMENTS = "requirements/compile.txt"
_MATCHES = "tests/e2e/compiled_matches.py"
"""Tests that play the same matches with both builds."""
_MOST_KEPT = 3
_DRAFT = "draft-"
_LONGEST_BUILD_S = 24 * 3600
"""A draft older than this many seconds was left by a build that was killed."""
_FAST = "pentathlon_engines/contract/game"
"""A module that must come out compiled."""
_NICE: Final = ("nice", "-n", "19")
"""Gives the build the lowest priority: bots and visitors get their CPU time first."""
_AUTOGROUP: Final = "/proc/{}/autogroup"
"""Where the kernel shares time between sessions, the build's is lowered, too: the build has a
session of its own, and there `nice` orders only what is in one."""


class CannotCompile(Exception):
    """The compiled engines could not be built; the sentence says what is missing."""

    code = "cannot_compile"


def kept_engines() -> Path | None:
    """Return the folder of the compiled package of these sources, if it has been built."""
    folder = _kept() / _digest()
    return folder if folder.exists() else None


def has_compiler() -> bool:
    """Return whether this machine has the C compiler that this Python would call."""
    return bool(runpy.run_path(str(_BUILDER))["compiler"]())


def compiled_engines() -> Path:
    """Return a folder that holds the compiled package, building it first if need be."""
    if (ready := kept_engines()) is not None:
        return ready
    kept, folder = _kept(), _kept() / _digest()
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept, prefix=_DRAFT) as scratch:
        draft = Path(scratch)
        with zipfile.ZipFile(_build_wheel(draft)) as wheel:
            wheel.extractall(draft / "unpacked")
        if not any((draft / f"unpacked/{_FAST}{end}").exists() for end in EXTENSION_SUFFIXES):
            raise CannotCompile("The wheel has nothing compiled in it.")
        # Bytecode for bots, which may not write any: most modules are not compiled to C.
        unpacked = str(draft / "unpacked")
        compileall.compile_dir(unpacked, quiet=1, stripdir=unpacked, prependdir=str(folder))
        (draft / "unpacked").chmod(0o755)
        (draft / "unpacked").rename(folder)
    _forget_old(kept)
    return folder


def _kept() -> Path:
    return read_environment().data / "compiled"


def _forget_old(kept: Path) -> None:
    """Delete dead drafts and all but the last builds, of which an earlier one may be in use."""
    folders = sorted(kept.iterdir(), key=lambda folder: folder.stat().st_mtime)
    builds = [each for each in folders if not each.name.startswith(_DRAFT)]
    begun = time.time() - _LONGEST_BUILD_S
    drafts = [each for each in folders if each not in builds and each.stat().st_mtime < begun]
    for folder in (*drafts, *builds[:-_MOST_KEPT]):
        shutil.rmtree(folder, ignore_errors=True)


def _digest() -> str:
    """Return a name for the sources and the Python that they are compiled for."""
    return str(runpy.run_path(str(_BUILDER))["source_digest"]())


def _build_wheel(target: Path) -> Path:
    sys.stderr.write("Compiling the engines, a minute or more ...\n")
    built = subprocess.run(
        [_python_with_compiler(), str(_BUILDER), "--to", str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        raise CannotCompile(built.stderr.strip())
    return Path(built.stdout.strip())


def _python_with_compiler() -> str:
    """Return a Python of this version with mypyc, installing mypyc beside the builds if need be.

    Without a C compiler mypyc would be of no use; the builder says so.
    """
    if not has_compiler() or (find_spec("mypyc") and find_spec("setuptools")):
        return sys.executable
    venv, wanted = _kept().with_name("compiler"), (CHECKOUT / _REQUIREMENTS).read_text()
    stamp = venv / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        command = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(venv)]
        try:
            subprocess.run(command, capture_output=True, text=True, check=True)
            install(CHECKOUT, venv, _REQUIREMENTS, say=lambda line: None)
        except (InstallFailed, subprocess.CalledProcessError) as error:
            raise CannotCompile(f"mypy could not be installed: {error}") from error
        stamp.write_text(wanted)
    return str(venv / "bin/python")


def main() -> int:
    """Run the tests of the engines on the compiled build, or only build it."""
    try:
        folder = compiled_engines()
    except CannotCompile as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if sys.argv[1:] == ["--build"]:
        sys.stdout.write(f"{folder}\n")
        return 0
    path = " ".join(shlex.quote(str(entry)) for entry in (CHECKOUT, CHECKOUT / "platform", folder))
    tests = [sys.executable, "-m", "pytest", "-o", f"pythonpath={path}", "tests/engines", _MATCHES]
    environment = child_environment(
        PYTHONPATH=os.pathsep.join(map(str, (folder, CHECKOUT, CHECKOUT / "platform")))
    )
    return subprocess.run(
        [*tests, *sys.argv[1:]], cwd=CHECKOUT, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())


class Compilation:
    """One build in a process of its own; `look` is called now and then from the main thread."""

    def __init__(
        self, *, log: Path, done: Callable[[Path], None], say: Callable[[str], None]
    ) -> None:
        self._log = log
        self._done = done
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    def start(self) -> None:
        """Begin if the engines are not compiled yet and this machine has a C compiler."""
        if kept_engines() is not None or not has_compiler():
            return
        command = [
            *_NICE,
            sys.executable,
            "-m",
            "pentathlon.local.environment.compiled_build",
            "--build",
        ]
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as output:
            self._process = processes.start(command, output=output)
        with suppress(OSError):  # not every kernel has it
            Path(_AUTOGROUP.format(self._process.pid)).write_text(_NICE[-1])
        self._started = time.monotonic()

    def look(self) -> None:
        """Hand over a finished build, once; say why if the build has failed."""
        process = self._process
        if process is None or process.poll() is None:
            return
        self._process = None
        folder = kept_engines()
        if process.returncode or folder is None:
            reason = last_lines(self._log)
            self._say(f"The engines are not compiled, because compiling failed: {reason}")
            return
        self._done(folder)
        seconds = time.monotonic() - self._started
        self._say(
            f"The worker plays with compiled engines from now on (built in {seconds:.0f} s)."
        )

    def stop(self) -> None:
        """End a build that is still running; the next start begins again."""
        if self._process is not None:
            processes.stop(self._process)
            self._process = None
