from __future__ import annotations

import json
import os

import pytest

from tests.workers.sandbox.delegated import groups_of, run_in
from tests.workers.sandbox.worker_users import worker_user
from workers.sandbox.cgroup_files import V1
from workers.sandbox.cgroup_hosts import Host, find_host
from workers.sandbox.errors import LayerMissing


def host_to_share() -> Host:
    if os.geteuid() != 0:
        pytest.skip("only root can give groups away")
    try:
        host = find_host()
    except LayerMissing as error:
        pytest.skip(f"no control groups here: {error.reason}")
    if host.dialect is not V1:
        pytest.skip("groups of version 2 are given away by the service manager")
    return host


@pytest.mark.parametrize(
    ("bot", "verdict", "answer"),
    [("memory_shared", "memory", None), ("thread_bomb", None, []), ("fork_bomb", None, [])],
)
def test_ordinary_user_with_groups_of_its_own_uses_them(
    bot: str, verdict: str | None, answer: list[str] | None
) -> None:
    worker = worker_user("ordinary")
    with groups_of(worker, host_to_share()) as folders:
        arena = worker.script("arena.py")
        ended = run_in(folders, worker, arena, "namespaces", bot, "always")

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert (found["verdict"], found["answer"]) == (verdict, answer), found["log"]
    assert found["group"]
    assert found["cgroups"] == []
    assert found["survivors"] == []
