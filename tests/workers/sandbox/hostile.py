"""What every hostile bot must come to, and how it is let loose: by whom and in which sandbox."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from tests.patience import PATIENCE_S
from tests.workers.sandbox.bots import BOTS
from tests.workers.sandbox.delegated import groups_of, run_in
from tests.workers.sandbox.ways import Way
from tests.workers.sandbox.worker_users import USERS, worker_user
from workers.sandbox.errors import LayerMissing
from workers.sandbox.resources.cgroup_files import V1
from workers.sandbox.resources.cgroup_hosts import CgroupHost, find_host
from workers.sandbox.resources.cgroups import CgroupUse

VERDICTS = {
    "cpu_burner": "cpu_time",
    "cpu_threads": "cpu_time",
    "exec_again": "cpu_time",
    "dentry_flood": "cpu_time",
    "memory_bomb": "memory",
    "memory_maps": "memory",
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
    "abstract_socket", "affinity", "attacks_server", "becomes_shell", "counts_threads", "daemon",
    "fork_bomb", "hides_memory", "host_files", "ignores_signals", "io_uring", "kernel_memory",
    "kill_all", "launders_cpu", "leaves_group", "leaves_marks", "leaves_notes", "marks_root",
    "network", "open_files", "opponent_pipes", "other_user", "outlives", "poisons_modules",
    "ponders", "raise_limits", "rcu_storm", "reads_the_disk", "resumes_itself", "shared_memory",
    "signal_flood", "spies", "terminal", "thread_bomb", "unknown_calls", "write_outside",
)  # fmt: skip
NATIVE = {
    "native_break": "memory",
    "native_cabinets": None,
    "native_clone": "security",
    "native_clone3": None,
    "native_fork": None,
    "native_orphan": "memory",
    "native_parent": "security",
    "native_spin": "cpu_time",
    "native_tables": None,
    "native_thread_cycles": None,
    "native_vfork_thread": None,
}
IN_A_MATCH = {
    "answers_early": "protocol",
    "binary_garbage": "protocol",
    "deep_json": "protocol",
    "forbidden_ptrace": "security",
    "gives_up": "crash",
    "hash_flood": "protocol",
    "huge_number": "protocol",
    "inode_flood": "scratch",
    "long_line": "output",
    "memory_bomb": "memory",
    "network": "startup",
    "segfault": "crash",
    "stderr_flood": "output",
    "stdout_flood": "output",
}
OUT_OF_TIME = ("closes_output", "half_line", "never_reads", "sleeps", "slow_drip", "stops_itself")
FILLS_THE_DISK = ("disk_fill", "nameless_files")
REMEMBERS = "remembers_names"
"""A bot that finds out which of its folders lie on a disk, whose absent names the kernel keeps."""
NEEDS_A_WITNESS = "dies_of_threads"
"""A bot to which the kernel refuses a thread; only a control group or the watchdog notes it."""
CORE_PATTERN = Path("/proc/sys/kernel/core_pattern").read_text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way in which a worker may hold its bots."""

    user: str
    way: Way
    groups: CgroupUse = CgroupUse.FOR_CHILDREN

    def __str__(self) -> str:
        return f"{self.user}-{self.way}-{'cgroup' if self.groups is CgroupUse.ALWAYS else 'bare'}"


def variants(*groups: CgroupUse) -> list[Variant]:
    """Return the variants of every user and way."""
    return [
        Variant(user=user, way=way, groups=use) for use, user, way in product(groups, USERS, Way)
    ]


def share(bots: Iterable[str], *, among: Sequence[Variant]) -> list[ParameterSet]:
    """Return every bot in every way, by one of the users in turn, as cases of a test.

    In a lean run each bot is let loose in one of the ways, which take turns, too.
    """
    ways = sorted({variant.way for variant in among})
    return [
        pytest.param(
            variant,
            bot,
            id=f"{bot}-{variant}",
            marks=[pytest.mark.deep] * (way != number // len(USERS) % len(ways)),
        )
        for number, bot in enumerate(bots)
        for variant in among
        for way in [ways.index(variant.way)]
        if variant.user == USERS[(number + way) % len(USERS)]
    ]


def verdicts() -> dict[str, str]:
    """Return the verdicts of the bots that offend, on a machine like this."""
    return VERDICTS | (DOORS_OF_X86 if os.uname().machine == "x86_64" else {})


def expected(bot: str, variant: Variant) -> tuple[str | None, list[str] | None]:
    """Return the verdict that a bot of the arena must get, and what it must answer."""
    if bot in FILLS_THE_DISK:
        own = variant.way is not Way.LANDLOCK
        return (None, []) if own else ("scratch", None)
    if bot == "memory_stacks" and variant.way is Way.NUMPY:
        # There, writable data is limited, too, so that the kernel refuses so large a stack.
        return None, None
    verdict = (verdicts() | NATIVE).get(bot)
    return verdict, None if verdict else []


def expected_in_a_match(bot: str, variant: Variant) -> str:
    """Return the fault that a bot must be expelled for."""
    if bot == "closes_output" and variant.way is Way.LANDLOCK:
        # Without a namespace around the bot, the end of its output is seen at once.
        return "crash"
    if bot == NEEDS_A_WITNESS:
        return "processes" if _notes_refused_threads(variant) else "crash"
    return IN_A_MATCH.get(bot, "wall_time")


def _notes_refused_threads(variant: Variant) -> bool:
    """Return whether a group counts them, or the watchdog, for want of a limit in the kernel."""
    shares_its_uid = variant.user == "ordinary" or os.geteuid() != 0
    is_watched = variant.way is Way.LANDLOCK and shares_its_uid
    return variant.groups is CgroupUse.ALWAYS or is_watched


class Arenas:
    """Processes that let hostile bots loose: one of each variant, and as many bots as asked."""

    def __init__(self) -> None:
        self._open: dict[Variant, subprocess.Popen[str]] = {}

    def fight(self, variant: Variant, bot: str) -> dict[str, Any]:
        """Return what became of a bot, once nothing else was touched."""
        if variant.groups is CgroupUse.ALWAYS:
            found = _run(variant, "arena.py", variant.way, variant.groups, bot)
        else:
            found = self._ask(variant, bot)
        _check(variant, found)
        assert found["bystander"], "it killed a process of the host"
        assert found["marker"] is True, "it changed a file of the host"
        assert found["siblings"] == ["marker"], "it made a file on the host"
        assert found["uid"] != 0
        assert found["fork"] is (variant.way.forks and bot not in NATIVE)
        return found

    def close(self) -> None:
        """End them all; each has its last bot behind it."""
        for arena in self._open.values():
            arena.communicate(timeout=PATIENCE_S)
        self._open.clear()

    def _ask(self, variant: Variant, bot: str) -> dict[str, Any]:
        if variant not in self._open:
            worker = worker_user(variant.user)
            words = (worker.script("arena.py"), variant.way, variant.groups)
            self._open[variant] = worker.start(*words)
        arena = self._open[variant]
        assert arena.stdin is not None
        assert arena.stdout is not None
        arena.stdin.write(f"{bot}\n")
        arena.stdin.flush()
        told = select.select([arena.stdout], [], [], PATIENCE_S)[0] and arena.stdout.readline()
        if not told:
            arena.kill()
            arena.communicate()
            del self._open[variant]
            pytest.fail(f"{bot} has ended its worker, or stopped it; see its errors above")
        found: dict[str, Any] = json.loads(told)
        return found


def fight_in_a_match(variant: Variant, bot: str) -> dict[str, Any]:
    """Return how a bot at seat 1 lost a match."""
    found = _run(variant, "match_arena.py", variant.way, bot, variant.groups)
    _check(variant, found)
    return found


def every_bot() -> set[str]:
    """Return the names of all bots in the folder of bots."""
    return {path.name for path in BOTS.iterdir()}


def _run(variant: Variant, script: str, *words: str) -> dict[str, Any]:
    worker = worker_user(variant.user)
    with _groups(variant) as folders:
        command = (worker.script(script), *words)
        ended = run_in(folders, worker, *command) if folders else worker.run(*command)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def _check(variant: Variant, found: dict[str, Any]) -> None:
    assert found["group"] is (variant.groups is CgroupUse.ALWAYS)
    assert found["survivors"] == [], f"it left processes behind: {found['survivors']}"
    assert found["cgroups"] == [], "it left control groups behind"
    assert found["core_pattern"] == CORE_PATTERN


@contextmanager
def _groups(variant: Variant) -> Iterator[list[Path]]:
    """Give an ordinary user groups of its own, where it is to have some."""
    if variant.groups is not CgroupUse.ALWAYS:
        yield []
        return
    host = host_with_groups()
    if isinstance(host, str):
        pytest.skip(host)
    if variant.user != "ordinary":
        yield []
        return
    if host.interface is not V1:
        pytest.skip("groups of version 2 are given away by the service manager")
    with groups_of(worker_user(variant.user), host) as folders:
        yield folders


@cache
def host_with_groups() -> CgroupHost | str:
    """Return where groups can be made here, or why that cannot be."""
    try:
        return find_host()
    except LayerMissing as error:
        return f"no control groups here: {error.reason}"
