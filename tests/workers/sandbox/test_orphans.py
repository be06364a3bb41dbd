from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from pentathlon_engines.match.launcher import SandboxLevel
from tests.patience import PATIENCE_S
from tests.workers.running import descendants
from tests.workers.sandbox.worker_users import USERS, user_arguments, worker_user
from workers.sandbox.files.runtime import find_runtime
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation import orphans
from workers.sandbox.isolation.bubblewrap import command_line, find_bwrap
from workers.sandbox.isolation.launch import pipe, read_until
from workers.sandbox.isolation.orphans import kill_orphans
from workers.sandbox.launcher import SandboxLauncher

_CONTAINER = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
"""Gives process ids of its own: the part of a container runtime that matters here."""


@contextmanager
def held_up(user: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start bubblewrap and stop it half way; yield it, and a handle of its inner process."""
    uid = worker_user(user).uid
    staging = Staging()
    with ExitStack() as undo:
        undo.callback(staging.close)
        info, info_end = pipe(undo)
        block, _ = pipe(undo)
        nothing = undo.enter_context(Path(os.devnull).open("rb"))
        bwrap, *words = command_line(
            ["/bin/true"],
            bwrap=find_bwrap(staging, uid=uid),
            runtime=find_runtime(staging, uid=uid, system_python=True),
            folder=Path("/usr"),
            environment={},
            scratch_bytes=1 << 20,
            passed=(info_end, nothing),
        )
        outer = subprocess.Popen(
            [bwrap, "--block-fd", str(block.fileno()), *words],
            pass_fds=[file.fileno() for file in (info_end, nothing, block)],
            **user_arguments(uid),
        )
        undo.callback(outer.wait, PATIENCE_S)
        undo.callback(outer.kill)
        inner = os.pidfd_open(json.loads(read_until(info, b"}"))["child-pid"])
        undo.callback(os.close, inner)
        yield outer, inner


def has_ended(process: int, *, within_s: float = PATIENCE_S) -> bool:
    return bool(select.select([process], [], [], within_s)[0])


@pytest.mark.parametrize("user", USERS)
def test_inner_process_of_a_killed_bubblewrap_is_ended(user: str) -> None:
    with held_up(user) as (outer, inner):
        outer.kill()
        outer.wait(PATIENCE_S)

        kill_orphans()

        assert has_ended(inner)


def test_bubblewrap_at_work_is_left_alone() -> None:
    with held_up("myself") as (_, inner):
        kill_orphans()

        assert not has_ended(inner, within_s=0.2)


def test_next_launcher_ends_leftovers() -> None:
    with held_up("myself") as (outer, inner):
        outer.kill()
        outer.wait(PATIENCE_S)

        SandboxLauncher(SandboxLevel.NAMESPACES).close()

        assert has_ended(inner)


@contextmanager
def worker_in_a_container() -> Iterator[list[int]]:
    """Start a worker with a bot one process namespace deeper; yield handles of all processes."""
    if not shutil.which("unshare"):
        pytest.skip("this host has no unshare")
    user = worker_user("myself")
    own = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    words = [*_CONTAINER, *own, user.python, "-B", user.script("doomed.py"), "namespaces", "runs"]
    with (
        subprocess.Popen(
            words, stdout=subprocess.PIPE, env=user.environment, cwd="/"
        ) as container,
        ExitStack() as undo,
    ):
        undo.callback(container.kill)
        assert container.stdout is not None
        assert container.stdout.readline(), "the worker did not start"
        handles = [os.pidfd_open(pid) for pid in descendants(container.pid)]
        for handle in handles:
            undo.callback(os.close, handle)
        yield handles


def test_bot_of_a_worker_in_a_container_is_left_alone() -> None:
    with worker_in_a_container() as processes:
        kill_orphans()

        assert len(processes) > 2
        assert not any(has_ended(process, within_s=0.1) for process in processes)


def test_foreign_process_table_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def look() -> Iterator[int]:
        raise AssertionError("its ids mean other processes")

    monkeypatch.setattr(orphans, "_shows_own_namespace", lambda: False)
    monkeypatch.setattr(orphans, "_candidates", look)

    kill_orphans()


def test_kernel_that_names_no_namespaces_is_an_error_like_an_ended_process(
    tmp_path: Path,
) -> None:
    (tmp_path / "status").write_text("Name:\tbwrap\nPid:\t7\n")

    with pytest.raises(ProcessLookupError, match="has no field NSpid"):
        orphans._ids(tmp_path)
