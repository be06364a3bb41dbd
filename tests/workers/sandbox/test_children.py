"""Bots that start processes: only in a control group, which sees all of them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import BotCommand, LaunchFailed, SandboxLevel
from pentathlon_engines.match.limits import Limits
from tests.workers.sandbox.bots import PYTHON, TIMEOUT_S, own_bot, read_line, watch_breach
from tests.workers.sandbox.test_cgroups import left_behind
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.cgroups import CgroupUse

LIMITS = Limits(memory_mb=64)
BURN = "import os, time\n\ndef burn(s):\n    until = time.process_time() + s\n"
BURN += "    while time.process_time() < until: pass\n\n"


@pytest.fixture(scope="module")
def launcher() -> Iterator[SandboxLauncher]:
    opened = SandboxLauncher()
    if opened.no_cgroups is not None:
        opened.close()
        pytest.skip(f"no control groups here: {opened.no_cgroups.reason}")
    yield opened
    opened.close()


def with_children(folder: Path, source: str) -> BotCommand:
    command = own_bot(folder / "bot", source)
    return BotCommand(folder=command.folder, argv=PYTHON, processes=4)


def start(
    launcher: SandboxLauncher, folder: Path, source: str, limits: Limits = LIMITS
) -> SandboxedBot:
    return launcher.start(with_children(folder, source), seat=0, limits=limits)


def test_without_groups_a_bot_with_children_is_refused_by_name(tmp_path: Path) -> None:
    launcher = SandboxLauncher(cgroups=CgroupUse.NEVER)

    with pytest.raises(LaunchFailed, match="layer 'cgroup' is not available: the bot wants 4"):
        start(launcher, tmp_path, "pass")
    launcher.close()


def test_without_namespaces_a_bot_with_children_is_refused_by_name(tmp_path: Path) -> None:
    launcher = SandboxLauncher(SandboxLevel.LANDLOCK)

    with pytest.raises(LaunchFailed, match="layer 'namespaces' is not available: the bot wants"):
        start(launcher, tmp_path, "pass")
    launcher.close()


def test_children_work_and_leave_nothing(launcher: SandboxLauncher, tmp_path: Path) -> None:
    source = (
        "import multiprocessing, subprocess\n"
        "print(subprocess.run(['/bin/echo', 'child'], capture_output=True, text=True).stdout)\n"
        "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "    print(sum(pool.map(abs, [-1, -2])), flush=True)\n"
    )
    bot = start(launcher, tmp_path, source)

    lines = [read_line(bot) for _ in range(3)]
    bot.stop()

    assert lines == ["child\n", "\n", "3\n"]
    assert launcher.cgroups is not None
    assert left_behind(launcher.cgroups) == []


def test_no_bot_notices_what_another_one_locks(launcher: SandboxLauncher, tmp_path: Path) -> None:
    source = (
        "import fcntl, sys\n"
        "def lock(file):\n"
        "    try:\n"
        "        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "    except OSError as error:\n"
        "        return error.errno\n"
        "names = ('null', 'full', 'random', 'urandom')\n"
        "devices = [open(f'/dev/{name}', 'wb') for name in names]\n"
        "print([lock(device) for device in devices], flush=True)\n"
        "sys.stdin.read()\n"
    )
    bots = [start(launcher, tmp_path, source) for _ in range(2)]

    answers = [read_line(bot) for bot in bots]
    for bot in bots:
        bot.stop()

    assert answers[0] == answers[1]


def test_time_of_children_that_nobody_waited_for_is_counted(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    source = (
        f"{BURN}import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
        "for _ in range(3):\n    if os.fork() == 0:\n        burn(0.1)\n        os._exit(0)\n"
        "try:\n    os.wait()\nexcept ChildProcessError:\n    print('done', flush=True)\n"
    )
    bot = start(launcher, tmp_path, source)

    read_line(bot)
    at_the_end = bot.cpu_s()
    charged = bot.stop().cpu_s

    assert 0.3 <= at_the_end <= charged


def test_children_together_use_up_the_time(launcher: SandboxLauncher, tmp_path: Path) -> None:
    limits = Limits(memory_mb=64, match_cpu_s=0.2, startup_wall_s=0.2)
    bot = start(launcher, tmp_path, f"{BURN}os.fork(); os.fork()\nburn(60)\n", limits)

    breach = watch_breach(bot)
    bot.stop()

    assert breach.kind is FaultKind.CPU_TIME


def test_children_together_use_up_the_memory(launcher: SandboxLauncher, tmp_path: Path) -> None:
    source = (
        "import os, time\n"
        "os.fork(); os.fork()\n"
        "held = bytearray(b'x') * (24 << 20)\ntime.sleep(60)\n"
    )
    bot = start(launcher, tmp_path, source)

    breach = watch_breach(bot)
    bot.stop()

    assert breach.kind is FaultKind.MEMORY


def test_fork_bomb_that_gives_up_has_wanted_too_many_processes(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    source = "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60)\n"
    bot = start(launcher, tmp_path, source)

    assert bot.wait(TIMEOUT_S)
    breach = bot.verdict(bot.stop())

    assert breach is not None
    assert breach.kind is FaultKind.PROCESSES
    assert "16 threads and processes" in breach.detail


def test_paused_children_use_no_time(launcher: SandboxLauncher, tmp_path: Path) -> None:
    source = f"{BURN}os.fork()\nprint(1, flush=True)\nburn(60)\n"
    bot = start(launcher, tmp_path, source)
    read_line(bot)
    bot.pause()
    spend(0.05)
    before = bot.cpu_s()

    spend(0.2)

    # The kernel adds some microseconds with a delay.
    assert bot.cpu_s() - before < 0.001
    bot.resume()
    spend(0.2)
    assert bot.cpu_s() > before
    bot.stop()


def test_children_die_with_a_paused_bot(launcher: SandboxLauncher, tmp_path: Path) -> None:
    bot = start(
        launcher, tmp_path, "import os, time\nos.fork()\nprint(1, flush=True)\ntime.sleep(60)"
    )
    read_line(bot)
    assert bot.group is not None
    processes = bot.group.processes()
    bot.pause()

    usage = bot.stop()

    assert usage.exit_status == -9
    assert not [pid for pid in processes if Path(f"/proc/{pid}").exists()]


def spend(seconds: float) -> None:
    """Let real work pass the time."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        os.getpid()
