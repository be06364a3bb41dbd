"""Make the checkout's own packages known to `.venv`, as an editable install would.

Writes three things that installers write: a .pth file with our folders, the metadata with
entry points, and the console scripts. Needs no build tool and no network.
Standard library only: this runs before anything else is usable.
"""

import shutil
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

# The script starts through the shell: a kernel's #! line allows neither spaces nor long paths.
_SCRIPT = """\
#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys

from {module} import {name}

sys.exit({name}())
"""


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
