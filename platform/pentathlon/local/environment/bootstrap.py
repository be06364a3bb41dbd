"""Build `.venv` beside manage.py on a bare Python and run the command inside it.

Standard library only: this runs before anything is installed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from pentathlon.env import read_environment
from pentathlon.local.environment.installer import InstallFailed, install

# The script starts through the shell: a kernel's #! line allows neither spaces nor long paths.
_SCRIPT = """\
#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys

from {module} import {name}

sys.exit({name}())
"""
_STAMP = "pentathlon.stamp"
_GROUPS = ("run", "numpy", "dev", "browser")
"""The names of files in requirements/; each file contains those before it."""


def register(root: Path, venv: Path) -> None:
    """Put the checkout on the path of `venv`, with entry points and the `pentathlon` command."""
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(venv)}))
    folders = (root, root / "platform", root / "engines")
    (packages / "pentathlon.pth").write_text("".join(f"{folder}\n" for folder in folders))
    for project in projects(root):
        _write_metadata(project, packages)
        _write_scripts(project, venv / "bin")


def projects(root: Path) -> list[dict[str, Any]]:  # Any: TOML
    """Return the `project` tables of the distributions in this checkout."""
    return [_project(folder) for folder in (root, root / "engines")]


def _project(folder: Path) -> dict[str, Any]:  # Any: TOML
    described = tomllib.loads((folder / "pyproject.toml").read_text())
    project: dict[str, Any] = described["project"]
    if "version" in project.get("dynamic", ()):
        source = folder / described["tool"]["hatch"]["version"]["path"]
        project["version"] = source.read_text().rpartition(" = ")[2].strip().strip("\"'")
    return project


def _write_metadata(project: dict[str, Any], packages: Path) -> None:  # Any: TOML
    name, version = project["name"].replace("-", "_"), project["version"]
    for old in packages.glob(f"{name}-*.dist-info"):
        shutil.rmtree(old)
    folder = packages / f"{name}-{version}.dist-info"
    folder.mkdir()
    header = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
    (folder / "METADATA").write_text(header)
    (folder / "INSTALLER").write_text("pentathlon\n")
    (folder / "entry_points.txt").write_text(_entry_points(project))


def _entry_points(project: dict[str, Any]) -> str:  # Any: TOML
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    sections = (
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items())
        for group, entries in groups.items()
        if entries
    )
    return "\n".join(sections)


def _write_scripts(project: dict[str, Any], folder: Path) -> None:  # Any: TOML
    for script, target in project.get("scripts", {}).items():
        module, _, name = target.partition(":")
        path = folder / script
        path.write_text(_SCRIPT.format(python=folder / "python", module=module, name=name))
        path.chmod(0o755)


def enter(root: Path, arguments: Sequence[str]) -> None:
    """Continue inside `.venv`, building it first where it is missing, stale or half-built."""
    venv = root / ".venv"
    if read_environment().no_bootstrap or _is_current(venv):
        return
    try:
        with _alone(root):
            prepare(root, group_for(arguments))
    except InstallFailed as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit(130)
    _replace_process(venv / "bin/python", [str(root / "manage.py"), *arguments])


def prepare(root: Path, group: str) -> None:
    """Install requirements/`group`.txt into `.venv`; do nothing if that is done already."""
    venv, wanted = root / ".venv", _digest(root, group)
    stamp = _read_stamp(venv)
    if stamp.get(group) == wanted and stamp.get("root") == str(root):
        return
    started = time.monotonic()
    whose = "Pentathlon needs" if group == "run" else "Pentathlon and its tests need"
    _say(f"Installing what {whose} into {venv} ...")
    if stamp.get("root") != str(root):
        _create(venv)
    (venv / _STAMP).unlink(missing_ok=True)
    install(root, venv, f"requirements/{group}.txt", say=_say)
    register(root, venv)
    _write_stamp(venv, {**_still_true(stamp, root), "root": str(root), group: wanted})
    _say(f"Installed in {time.monotonic() - started:.0f} s.")


def group_for(arguments: Sequence[str]) -> str:
    """Return the file in requirements/ that holds what a command needs."""
    if not set(arguments[:1]) & {"bench", "chaos", "test"}:
        return "numpy" if "--numpy" in arguments else "run"
    if arguments[0] == "test" and "browser" in arguments:
        return "browser"
    return "dev"  # it has a PostgreSQL, and a compiler for the engines


def _is_current(venv: Path) -> bool:
    return venv.exists() and Path(sys.prefix).exists() and venv.samefile(sys.prefix)


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Serialise builds: one start builds, the others wait."""
    handle = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _create(venv: Path) -> None:
    if not os.access(venv.parent, os.W_OK):
        raise InstallFailed(f"{venv.parent} cannot be written to; use a checkout of your own.")
    command = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(venv)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise InstallFailed(
            "This Python cannot make virtual environments: install your system's python3-venv "
            "package, or uv (https://docs.astral.sh/uv/) and run `uv run --python 3.12 "
            f"--no-project manage.py up`.\n{made.stderr}"
        )


def _digest(root: Path, group: str) -> str:
    locked = (root / f"requirements/{group}.txt").read_text()
    return hashlib.sha256(f"{locked}{projects(root)}".encode()).hexdigest()


def _read_stamp(venv: Path) -> dict[str, str]:
    path = venv / _STAMP
    if not path.exists() or not (venv / "bin/python").exists():
        return {}
    pairs = (line.partition("=") for line in path.read_text().splitlines())
    return {name: value for name, _, value in pairs}


def _still_true(stamp: dict[str, str], root: Path) -> dict[str, str]:
    """Return the groups in the stamp whose requirements have not changed since."""
    if stamp.get("root") != str(root):
        return {}
    return {name: stamp[name] for name in _GROUPS if stamp.get(name) == _digest(root, name)}


def _write_stamp(venv: Path, stamp: dict[str, str]) -> None:
    largest = max(_GROUPS.index(name) for name in _GROUPS if name in stamp)
    for name in _GROUPS[:largest]:
        stamp[name] = _digest(venv.parent, name)
    (venv / _STAMP).write_text("".join(f"{name}={value}\n" for name, value in stamp.items()))


def _replace_process(python: Path, arguments: Sequence[str]) -> NoReturn:
    sys.stdout.flush()
    os.execv(python, [str(python), *arguments])  # noqa: S606  the point of this module


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()
