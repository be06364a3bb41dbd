"""Keeps the workers of a release, so that the next one can be tested with them.

    .venv/bin/python -m tests.e2e.previous_release [COMMIT]

packs that commit, or the last one, into `releases/` in place of the previous release. Do so
when a release is made, and commit the file: rolling updates mix workers of these two releases.
"""

from __future__ import annotations

import io
import lzma
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

from pentathlon.env import CHECKOUT
from pentathlon_engines.version import __version__

KEPT: Final = Path(__file__).with_name("releases")
_FOLDERS: Final = (
    "manage.py",
    "engines/pentathlon_engines",
    "platform",
    "workers",
    "api",
    "tools",
)
_NOT_FOR_WORKERS: Final = (
    *(f"platform/pentathlon/web/{name}/" for name in ("templates", "static", "views", "examples")),
    *("tools/benchmark/", "tools/chaos/", "api/", "engines/pentathlon_engines/cli/"),
)
_KEPT_OF_THEM: Final = ("api/__init__.py",)
"""Files that are kept all the same, because Django loads every app that its settings name."""


def keep(commit: str, folder: Path = KEPT) -> Path:
    """Pack the workers of a commit in a folder, in place of others; return the archive."""
    packed = subprocess.run(
        ["git", "archive", commit, *_FOLDERS], cwd=CHECKOUT, capture_output=True, check=True
    ).stdout
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.tar.xz"):
        old.unlink()
    path = folder / f"{__version__}.tar.xz"
    with (
        tarfile.open(fileobj=io.BytesIO(packed)) as whole,
        lzma.open(path, "wb", preset=9 | lzma.PRESET_EXTREME) as output,
        tarfile.open(fileobj=output, mode="w") as kept,
    ):
        for member in whole:
            if member.isfile() and _is_for_workers(member.name):
                kept.addfile(member, whole.extractfile(member))
    return path


def unpack(folder: Path) -> Path:
    """Unpack the workers of the previous release; return the folder that is their checkout.

    Before the first release, these are the workers of the last commit.
    """
    (archive,) = KEPT.glob("*.tar.xz") if KEPT.exists() else [keep("HEAD", folder)]
    with tarfile.open(archive) as kept:
        kept.extractall(folder, filter="data")
    return folder


def import_path(checkout: Path) -> str:
    """Return the PYTHONPATH of processes of an unpacked release."""
    return ":".join(str(checkout / name) for name in ("", "platform", "engines"))


def _is_for_workers(path: str) -> bool:
    return path in _KEPT_OF_THEM or not path.startswith(_NOT_FOR_WORKERS)


if __name__ == "__main__":
    sys.stdout.write(f"{keep((*sys.argv[1:], 'HEAD')[0])}\n")
