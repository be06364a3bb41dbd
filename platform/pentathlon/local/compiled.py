"""The compiled engines: built from the checkout when its sources have changed, and kept.

`python -m pentathlon.local.compiled` runs the tests of the engines on them, with pytest's options.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from pentathlon.env import CHECKOUT, child_environment, read_environment

_ENGINES = CHECKOUT / "engines"
_MOST_KEPT = 3
_FAST = "pentathlon_engines/contract/game"
"""A module that has to come out compiled."""


class CannotCompile(Exception):
    """The compiled engines could not be built; the sentence says what is missing."""

    code = "cannot_compile"


def compiled_engines() -> Path:
    """Return a folder that holds the compiled package, building it first if need be."""
    kept = read_environment().data / "compiled"
    folder = kept / _digest()
    if folder.exists():
        return folder
    kept.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept) as scratch:
        draft = Path(scratch)
        with zipfile.ZipFile(_build_wheel(draft)) as wheel:
            wheel.extractall(draft / "unpacked")
        (draft / "unpacked").rename(folder)
    _forget_old(kept)
    if not any((folder / f"{_FAST}{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
        raise CannotCompile(f"The wheel in {folder} has nothing compiled in it.")
    return folder


def _forget_old(kept: Path) -> None:
    """Keep the last builds only; one before the last may still be in use."""
    builds = sorted(kept.iterdir(), key=lambda folder: folder.stat().st_mtime)
    for folder in builds[:-_MOST_KEPT]:
        shutil.rmtree(folder, ignore_errors=True)


def _digest() -> str:
    """Return a name for the sources and the Python that they are compiled for."""
    found = hashlib.sha256(f"{sys.version} {EXTENSION_SUFFIXES[0]}".encode())
    package = _ENGINES / "pentathlon_engines"
    sources = [path for path in package.rglob("*") if path.suffix in (".py", ".json", ".toml")]
    for path in sorted([*sources, _ENGINES / "build_compiled.py"]):
        found.update(f"{path.relative_to(_ENGINES)}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def _build_wheel(target: Path) -> Path:
    sys.stderr.write("Compiling the engines, about a minute ...\n")
    built = subprocess.run(
        [sys.executable, str(_ENGINES / "build_compiled.py"), "--to", str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    if built.returncode:
        raise CannotCompile(built.stderr.strip())
    return Path(built.stdout.strip())


def main() -> int:
    """Run the tests of the engines on the compiled build."""
    try:
        folder = compiled_engines()
    except CannotCompile as error:
        sys.stderr.write(f"{error}\n")
        return 1
    path = " ".join(shlex.quote(str(entry)) for entry in (CHECKOUT, CHECKOUT / "platform", folder))
    tests = [sys.executable, "-m", "pytest", "-o", f"pythonpath={path}", "tests/engines"]
    environment = child_environment(
        PYTHONPATH=os.pathsep.join(map(str, (folder, CHECKOUT, CHECKOUT / "platform")))
    )
    return subprocess.run(
        [*tests, *sys.argv[1:]], cwd=CHECKOUT, env=environment, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
