"""An ordinary user to whom an administrator has given control groups of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.patience import PATIENCE_S
from tests.workers.sandbox.worker_users import WorkerUser
from workers.sandbox.resources.cgroup_hosts import CgroupHost

_WAIT = ("/bin/sh", "-c", 'read -r go && exec "$@"', "sh")


@contextmanager
def groups_of(worker: WorkerUser, host: CgroupHost) -> Iterator[list[Path]]:
    """Make a folder in every hierarchy that belongs to the user; remove it in the end."""
    folders = [parent / f"pentathlon-test-{os.getpid()}" for parent in set(host.parents.values())]
    try:
        for folder in folders:
            folder.mkdir()
            for path in (folder, *folder.glob("cgroup.*"), *folder.glob("tasks")):
                os.chown(path, worker.uid, worker.uid)
        yield folders
    finally:
        for folder in folders:
            folder.rmdir()


def run_in(
    folders: list[Path], worker: WorkerUser, *arguments: str
) -> subprocess.CompletedProcess[str]:
    """Run Python as the user, in these groups, to its end."""
    with subprocess.Popen(
        [*_WAIT, worker.python, "-B", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=worker.environment,
        cwd="/",
        user=worker.uid,
        group=worker.uid,
        extra_groups=[],
    ) as child:
        for folder in folders:
            (folder / "cgroup.procs").write_text(str(child.pid))
        out, err = child.communicate("\n", timeout=PATIENCE_S)
    return subprocess.CompletedProcess(arguments, child.returncode, out, err)
