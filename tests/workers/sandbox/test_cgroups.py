"""Real control groups, wherever this process may make some."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S
from workers.sandbox.errors import LayerMissing
from workers.sandbox.resources.cgroup_files import V2
from workers.sandbox.resources.cgroups import Cgroups, Group, own_prefix

MEBIBYTE = 1 << 20
SHELL = ["/bin/sh", "-c", 'read -r go && exec "$@"', "sh"]
_DIES_WITH_A_FROZEN_BOT = """
import os, subprocess
from workers.sandbox.resources.cgroups import Cgroups
group = Cgroups().new_group()
bot = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)
group.admit(bot.pid)
group.freeze()
print(next(iter(group.folders)).name, flush=True)
os._exit(0)
"""


def made_here() -> Cgroups:
    try:
        return Cgroups()
    except LayerMissing as error:
        pytest.skip(f"this process can make no control groups: {error.reason}")


@pytest.fixture
def cgroups() -> Cgroups:
    return made_here()


@pytest.fixture
def group(cgroups: Cgroups) -> Iterator[Group]:
    made = cgroups.new_group()
    yield made
    made.remove()


def held(group: Group, *command: str) -> subprocess.Popen[bytes]:
    """Start a command that begins once it is in the group."""
    child = subprocess.Popen([*SHELL, *command], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    group.admit(child.pid)
    assert child.stdin is not None
    child.stdin.write(b"\n")
    child.stdin.close()
    return child


def python(source: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", source)


def left_behind(cgroups: Cgroups) -> list[str]:
    return [path.name for folder in cgroups.parents for path in folder.glob(f"{own_prefix()}*")]


def test_frozen_bot_of_a_dead_worker_is_killed_by_the_next(cgroups: Cgroups) -> None:
    worker = subprocess.run(
        [sys.executable, "-c", _DIES_WITH_A_FROZEN_BOT],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE, text=True, check=True, timeout=PATIENCE_S,
    )  # fmt: skip
    left = [parent / worker.stdout.strip() for parent in cgroups.parents]
    assert all(folder.exists() for folder in left)

    made_here()

    assert not any(folder.exists() for folder in left)


def test_removed_group_leaves_nothing(cgroups: Cgroups) -> None:
    group = cgroups.new_group()
    child = held(group, "sleep", "600")

    group.remove()

    assert child.wait(PATIENCE_S) == -signal.SIGKILL
    assert left_behind(cgroups) == []
    assert not any(folder.exists() for folder in group.folders)


def test_group_counts_the_time_of_ended_children(group: Group) -> None:
    burn = "import time\nwhile time.process_time() < 0.1: pass"
    parent = f"import os\nfor _ in range(3):\n if os.fork() == 0:\n  exec({burn!r}); os._exit(0)\n"
    child = held(group, *python(f"import signal; signal.signal(17, signal.SIG_IGN)\n{parent}"))

    child.wait(PATIENCE_S)
    while group.processes():
        os.sched_yield()

    # Starting Python takes time, too.
    assert group.cpu_s() >= 0.3


def test_group_that_needs_too_much_memory_is_killed(group: Group) -> None:
    group.limit(memory_bytes=32 * MEBIBYTE, tasks=4)

    child = held(group, *python("data = bytearray(b'x') * (64 << 20)"))

    assert child.wait(PATIENCE_S) == -signal.SIGKILL
    # Version 2 counts the order to kill the whole group, too.
    assert group.memory_kills() >= 1
    assert group.memory_peak_bytes() <= 32 * MEBIBYTE


def test_group_refuses_one_task_too_many(group: Group) -> None:
    group.limit(memory_bytes=64 * MEBIBYTE, tasks=1)

    child = held(group, *python("import os; os.fork()"))

    assert child.wait(PATIENCE_S) == 1
    assert group.tasks_refused() == 1


def test_frozen_group_uses_no_time_and_can_be_removed(cgroups: Cgroups) -> None:
    group = cgroups.new_group()
    child = held(group, *python("while True: pass"))
    while group.cpu_s() < 0.02:
        os.sched_yield()
    group.freeze()
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    before = group.cpu_s()

    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass

    assert group.cpu_s() == before
    group.remove()
    assert child.wait(PATIENCE_S) == -signal.SIGKILL


def test_version_2_kills_and_freezes_where_it_has_no_controllers() -> None:
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    roots = [Path(fields[1]) for fields in mounts if fields[2] == "cgroup2"]
    if not roots or not os.access(roots[0], os.W_OK):
        pytest.skip("there is no writable hierarchy of version 2")
    folder = roots[0] / f"{own_prefix()}plain"
    folder.mkdir()
    group = Group(V2, {"pids": folder})
    child = held(group, *python("while True: pass"))
    while group.cpu_s() < 0.02:
        os.sched_yield()

    group.freeze()
    group.kill()

    assert child.wait(PATIENCE_S) == -signal.SIGKILL
    group.remove()
    assert not folder.exists()
