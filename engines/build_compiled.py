"""Build the compiled wheel: the same files, the hot ones among them compiled with mypyc.

    python engines/build_compiled.py --to dist

Needs a C compiler and, as in the project's development environment, mypy and setuptools. All is
built in a scratch folder; nothing appears beside the sources.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

ENGINES: Final = Path(__file__).resolve().parent
_PACKAGE: Final = "pentathlon_engines"
_NOTE: Final = "compiled.txt"
_SHARED: Final = ("batch", "bits", "draws", "game", "info", "kinds", "position")
_NOT_HOT: Final = ("__init__", "drawing", "policies", "prospects", "reading")
"""Modules and folders of a game that no search runs through, and modules whose names begin with
them and `_`: pictures, reading of JSON, simple policies, and prospects, which spend their time in
sums over lists of floats."""


_FLAGS: Final = ["-fvisibility=hidden"]
"""Only Python calls the functions from outside, so the C compiler may inline any of them."""


class CannotBuild(Exception):
    """The wheel cannot be built here; the sentence says what is missing or went wrong."""

    code = "cannot_build"


def build(target: Path) -> Path:
    """Build the wheel into a folder and return its path."""
    _check_tools()
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pentathlon-compile-") as scratch:
        folder = Path(scratch)
        _copy_sources(folder)
        (folder / _PACKAGE / _NOTE).write_text(f"{source_digest()}\n")
        result = subprocess.run(
            [sys.executable, str(Path(__file__).resolve()), "--in-scratch"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode:
            raise CannotBuild(f"mypyc or the C compiler failed:\n{result.stdout}{result.stderr}")
        (wheel,) = (folder / "dist").glob("*.whl")
        return Path(shutil.copy(wheel, target))


def source_digest() -> str:
    """Return a name for the sources and the Python that they are compiled for."""
    found = hashlib.sha256(f"{sys.version} {EXTENSION_SUFFIXES[0]}".encode())
    kinds = (".py", ".json", ".toml")
    sources = [path for path in (ENGINES / _PACKAGE).rglob("*") if path.suffix in kinds]
    for path in sorted([*sources, Path(__file__).resolve()]):
        found.update(f"{path.relative_to(ENGINES)}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()[:16]


def compiler() -> str | None:
    """Return the path of the C compiler that this Python would call, if it is there."""
    return shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0])


def _check_tools() -> None:
    if compiler() is None:
        name = (sysconfig.get_config_var("CC") or "cc").split()[0]
        raise CannotBuild(
            f"There is no C compiler {name!r}: install one (Debian: apt install gcc "
            "python3-dev). The engines run without it, uncompiled."
        )
    try:
        import mypyc.build  # noqa: F401, PLC0415  # to say what is missing before all else
        import setuptools  # noqa: F401, PLC0415  # the same
    except ImportError as error:
        raise CannotBuild(
            f"{error}. Run this with the project's development environment, "
            "or after `pip install mypy setuptools`."
        ) from error


def _copy_sources(folder: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ENGINES / _PACKAGE, folder / _PACKAGE, ignore=ignored)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ENGINES / name, folder)


def hot_modules() -> dict[str, list[str]]:
    """Return the modules to compile, relative to the folder of the package, by C library.

    What games share is one library and each game is another: compiling all in one takes twice the
    memory, and plays at most a twentieth faster (Tash-Kalar; the others no faster).
    """
    sys.path.insert(0, ".")
    from pentathlon_engines.contract.registry import PACKAGES  # noqa: PLC0415  # the copy, not the sources

    shared = [f"{_PACKAGE}/contract/{name}.py" for name in _SHARED]
    games = {f"pentathlon_{key}": list(_hot_of(Path(_PACKAGE, key))) for key in PACKAGES}
    return {"pentathlon_contract": shared, **games}


def _hot_of(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.py")):
        names = path.relative_to(folder).with_suffix("").parts
        if not any(_is_not_hot(name) for name in names):
            yield str(path)


def _is_not_hot(name: str) -> bool:
    return name in _NOT_HOT or name.partition("_")[0] in _NOT_HOT


def _build_here() -> None:
    """Build in the current folder, which holds a copy of the sources."""
    from mypyc.build import mypycify  # noqa: PLC0415  # this process alone needs it
    from setuptools import find_packages, setup  # noqa: PLC0415  # the same

    version = (Path(_PACKAGE) / "version.py").read_text().split('"')[-2]
    libraries = hot_modules()
    extensions = mypycify(
        [path for paths in libraries.values() for path in paths],
        opt_level="3",
        separate=[(paths, name) for name, paths in libraries.items()],
    )
    for extension in extensions:
        extension.extra_compile_args += _FLAGS
    setup(
        version=version,
        packages=find_packages(include=[f"{_PACKAGE}*"]),
        package_data={_PACKAGE: ["**/*"]},
        ext_modules=extensions,
        script_args=["--quiet", "bdist_wheel", "--dist-dir", "dist"],
    )


def main() -> None:
    """Build the wheel and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, default=Path("dist"), help="folder for the wheel")
    parser.add_argument("--in-scratch", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.in_scratch:
        _build_here()
        return
    try:
        sys.stdout.write(f"{os.fspath(build(given.to))}\n")
    except CannotBuild as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
