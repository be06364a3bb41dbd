from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.workers.sandbox.arena import LIMITS
from tests.workers.sandbox.bots import BOTS
from tests.workers.sandbox.test_match import IN_A_MATCH, OUT_OF_TIME
from tests.workers.sandbox.worker_users import USERS, worker_user

LEVELS = ("namespaces", "landlock")
ARENAS = [(user, level) for user in USERS for level in LEVELS]
VERDICTS = {
    "cpu_burner": "cpu_time",
    "cpu_threads": "cpu_time",
    "exec_again": "cpu_time",
    "memory_bomb": "memory",
    "memory_maps": "memory",
    "memory_shared": "memory",
    "memory_stacks": "memory",
    "inode_flood": "scratch",
    "deep_folders": "scratch",
    "forbidden_bpf": "security",
    "forbidden_handle": "security",
    "forbidden_keyring": "security",
    "forbidden_module": "security",
    "forbidden_mount": "security",
    "forbidden_peek": "security",
    "forbidden_perf": "security",
    "forbidden_ptrace": "security",
    "forbidden_setns": "security",
    "forbidden_unshare": "security",
}
DOORS_OF_X86 = {"forbidden_int80": "security", "forbidden_x32": "security"}
CONTAINED = (
    "abstract_socket", "affinity", "becomes_shell", "daemon", "fork_bomb", "host_files",
    "ignores_signals", "io_uring", "kernel_memory", "kill_all", "launders_cpu", "leaves_group",
    "leaves_notes", "network", "open_files", "opponent_pipes", "other_user", "outlives",
    "ponders", "raise_limits", "shared_memory", "signal_flood", "terminal", "thread_bomb",
    "unknown_calls", "write_outside",
)  # fmt: skip
NATIVE = {
    "native_break": "memory",
    "native_clone": "security",
    "native_clone3": None,
    "native_fork": None,
    "native_parent": "security",
    "native_spin": "cpu_time",
}
ELSEWHERE = {"disk_fill", "echo", *IN_A_MATCH, *OUT_OF_TIME}
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern").read_text()


def fight(user: str, level: str, bot: str, *, groups: str = "for_children") -> dict[str, Any]:
    """Return what became of a bot, once nothing else was touched."""
    worker = worker_user(user)
    ended = worker.run(worker.script("arena.py"), level, bot, groups)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    assert found["bystander"], "it killed a process of the host"
    assert found["marker"] is True, "it changed a file of the host"
    assert found["siblings"] == ["marker"], "it made a file on the host"
    assert found["survivors"] == [], "it left processes behind"
    assert found["cgroups"] == [], "it left control groups behind"
    assert found["core_pattern"] == CORE_PATTERN
    assert found["uid"] != 0
    return found


def verdicts() -> dict[str, str]:
    return VERDICTS | (DOORS_OF_X86 if os.uname().machine == "x86_64" else {})


@pytest.mark.parametrize(("user", "level"), ARENAS)
@pytest.mark.parametrize(("bot", "verdict"), verdicts().items())
def test_offence_gets_its_verdict(user: str, level: str, bot: str, verdict: str) -> None:
    found = fight(user, level, bot)

    assert found["verdict"] == verdict
    assert found["answer"] is None


@pytest.mark.parametrize(("user", "level"), ARENAS)
@pytest.mark.parametrize("bot", CONTAINED)
def test_attempt_comes_to_nothing(user: str, level: str, bot: str) -> None:
    found = fight(user, level, bot)

    assert found["answer"] == [], found["log"]
    assert found["verdict"] is None


@pytest.mark.skipif(shutil.which("cc") is None, reason="C bots need a C compiler")
@pytest.mark.parametrize(("user", "level"), ARENAS)
@pytest.mark.parametrize(("bot", "verdict"), NATIVE.items())
def test_native_bot_gets_no_further(user: str, level: str, bot: str, verdict: str | None) -> None:
    found = fight(user, level, bot)

    assert found["verdict"] == verdict, found["detail"]
    assert found["answer"] == (None if verdict else [])


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    ("bot", "verdict"),
    [("cpu_threads", "cpu_time"), ("memory_bomb", "memory"), ("memory_shared", "memory")],
)
def test_offence_in_a_control_group_gets_the_same_verdict(
    user: str, bot: str, verdict: str
) -> None:
    assert fight(user, "namespaces", bot, groups="always")["verdict"] == verdict


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("bot", ["fork_bomb", "thread_bomb", "outlives"])
def test_attempt_in_a_control_group_comes_to_nothing(user: str, bot: str) -> None:
    found = fight(user, "namespaces", bot, groups="always")

    assert (found["answer"], found["verdict"]) == ([], None), found["log"]


@pytest.mark.parametrize(("user", "level"), ARENAS)
def test_nothing_is_left_for_the_next_match(user: str, level: str) -> None:
    first, second = (fight(user, level, "leaves_notes") for _ in range(2))

    assert first["answer"] == second["answer"] == []


@pytest.mark.parametrize("user", USERS)
def test_full_scratch_is_refused_by_its_file_system(user: str) -> None:
    found = fight(user, "namespaces", "disk_fill")

    assert found["answer"] == []


@pytest.mark.parametrize("user", USERS)
def test_full_scratch_on_the_host_is_a_fault(user: str) -> None:
    assert fight(user, "landlock", "disk_fill")["verdict"] == "scratch"


@pytest.mark.parametrize(("user", "level"), ARENAS)
def test_memory_is_seen_before_it_doubles(user: str, level: str) -> None:
    found = fight(user, level, "memory_shared")

    assert LIMITS.memory_mb < found["memory_peak_mb"] < 2 * LIMITS.memory_mb


@pytest.mark.parametrize(("user", "level"), ARENAS)
def test_deaf_bot_is_stopped_at_once(user: str, level: str) -> None:
    assert fight(user, level, "ignores_signals")["stopped_s"] < 2.0


def test_every_bot_has_its_place() -> None:
    names = {path.name for path in BOTS.iterdir()}

    assert len(names) >= 60
    assert names == set(NATIVE) | set(VERDICTS) | set(DOORS_OF_X86) | set(CONTAINED) | ELSEWHERE
