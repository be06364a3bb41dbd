"""What ends and breaks in a sandboxed bot, seen with stand-ins for tree, scratch and group."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from typing import Any, cast

import pytest

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import NOBODY, Awake, LaunchFailed
from pentathlon_engines.match.limits import Limits
from workers.sandbox import starters
from workers.sandbox.errors import HostDiskFull
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.cgroups import Group
from workers.sandbox.resources.process_tree import ProcessTree
from workers.sandbox.resources.scratch import ScratchMeter
from workers.sandbox.starters import SpawnedStarter

LIMITS = Limits(memory_mb=64, scratch_mb=16)
PIPES: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


class Tree:
    """The processes of a bot, of which only the first is real."""

    def __init__(self, child: subprocess.Popen[bytes], *, pid: int | None = None) -> None:
        self.pid = child.pid if pid is None else pid
        self.used_s: float | None = 0.5
        self._child = child
        self._kills = pid is None

    def cpu_s(self) -> float:
        if self.used_s is None:
            raise ProcessLookupError(self.pid)
        return self.used_s

    def total_cpu_s(self, _: resource.struct_rusage, *, starter_cpu_s: float) -> float:
        return self.cpu_s()

    def threads_and_bytes(self, *, scratch_bytes: int) -> tuple[int, int]:
        return 1, 1 << 20

    def awake_threads(self, known: Awake = NOBODY) -> Awake:
        return cast("Awake", {1: None})

    def wait(self, timeout_s: float) -> bool:
        return self._child.poll() is not None

    def kill(self) -> None:
        if self._kills:
            self._child.kill()

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    def close(self) -> None: ...


class Scratch:
    """A scratch folder on a disk that may be full, or gone."""

    def __init__(self) -> None:
        self.is_full = False
        self.is_gone = False

    def used(self) -> tuple[int, int]:
        if self.is_gone:
            raise FileNotFoundError("scratch")
        return 1, 4096

    def lacks(self, size_bytes: int) -> bool:
        return self.is_full


class Counts:
    """A control group in which the kernel has killed or refused something."""

    def __init__(self, *, kills: int = 0, is_gone: bool = False) -> None:
        self._kills = kills
        self._is_gone = is_gone

    def memory_kills(self) -> int:
        if self._is_gone:
            raise FileNotFoundError("memory.events")
        return self._kills

    def foreign_kills(self) -> int:
        return 0

    def tasks_refused(self) -> int:
        return 0


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/sleep", "600"], **PIPES) as started:
        yield started
        started.kill()


def bot_of(
    child: subprocess.Popen[bytes],
    *,
    tree: Tree | None = None,
    scratch: Scratch | None = None,
    group: Counts | None = None,
) -> SandboxedBot:
    return SandboxedBot(
        starter=SpawnedStarter(child, pid=(tree or Tree(child)).pid),
        process_tree=cast("ProcessTree", tree or Tree(child)),
        scratch=cast("ScratchMeter", scratch or Scratch()),
        limits=LIMITS,
        group=cast("Group | None", group),
    )


def test_process_without_pipes_is_no_bot() -> None:
    with (
        subprocess.Popen(["/bin/true"], stdin=subprocess.DEVNULL) as child,
        pytest.raises(LaunchFailed, match="three pipes"),
    ):
        bot_of(child)


def test_clock_of_a_bot_that_is_gone_stands_still(child: subprocess.Popen[bytes]) -> None:
    tree = Tree(child)
    bot = bot_of(child, tree=tree)
    tree.used_s = 0.75
    assert bot.cpu_s() == 0.25

    tree.used_s = None

    assert bot.cpu_s() == 0.25
    assert bot.stop().cpu_s == 0.25


def test_end_on_a_full_disk_of_the_host_is_not_the_bots_fault(
    child: subprocess.Popen[bytes],
) -> None:
    scratch = Scratch()
    bot = bot_of(child, scratch=scratch)
    scratch.is_full = True

    usage = bot.stop()

    with pytest.raises(HostDiskFull, match="16 MiB"):
        bot.verdict(usage)


def test_bot_whose_child_the_kernel_killed_breaks_its_limit_while_it_runs(
    child: subprocess.Popen[bytes],
) -> None:
    bot = bot_of(child, group=Counts(kills=1))

    breach = bot.breach()
    bot.stop()

    assert breach is not None
    assert breach.kind is FaultKind.MEMORY
    assert bot.breach() is None, "its end is explained by its verdict"


@pytest.mark.parametrize("group", [None, Counts(is_gone=True)], ids=["no group", "group gone"])
def test_files_that_somebody_removed_keep_nobody_from_ending_a_bot(
    child: subprocess.Popen[bytes], group: Counts | None
) -> None:
    scratch = Scratch()
    bot = bot_of(child, scratch=scratch, group=group)
    scratch.is_gone = True

    assert bot.breach() is None
    usage = bot.stop()

    assert bot.verdict(usage) is None
    assert child.returncode is not None


def test_starter_that_outlives_its_bot_is_killed_by_us_and_nobody_else(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starters, "_LONGEST_END_S", 0.01)
    bot = bot_of(child, tree=Tree(child, pid=child.pid + 1))

    usage = bot.stop()

    assert child.returncode == -9
    assert bot.verdict(usage) is None


def test_bot_that_was_stopped_has_nothing_awake(child: subprocess.Popen[bytes]) -> None:
    bot = bot_of(child)
    assert bot.awake_threads()

    bot.stop()

    assert bot.awake_threads() == {}
