"""What a bot is charged agrees with what the kernel and the bot itself count."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon_engines.match.limits import Limits
from tests.deep import mostly_deep
from tests.workers.sandbox.bots import TIMEOUT_S, own_bot, read_line
from tests.workers.sandbox.ways import Way
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.cgroups import CgroupUse

# Hashing lets go of the interpreter's lock: the threads run at once where there are cores.
THREADS = """
import hashlib, sys, threading, time
def burn():
    data = bytes(1 << 20)
    while time.thread_time() < 0.15: hashlib.sha256(data)
threads = [threading.Thread(target=burn) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(time.process_time(), flush=True)
sys.stdin.readline()
"""
NEAR = 0.1
"""The most seconds that the bot uses before its own clock is read for the last time, and after."""


@pytest.fixture(scope="module", params=mostly_deep(Way, keep=[Way.FORKS]))
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened: SandboxLauncher = request.param.launcher(cgroups=CgroupUse.ALWAYS)
    yield opened
    opened.close()


def started(launcher: SandboxLauncher, folder: Path) -> tuple[SandboxedBot, float]:
    bot = launcher.start(own_bot(folder / "bot", THREADS), seat=0, limits=Limits())
    return bot, json.loads(read_line(bot))


def test_time_of_threads_is_what_the_bot_counts(launcher: SandboxLauncher, tmp_path: Path) -> None:
    bot, own_s = started(launcher, tmp_path)

    seen_s = bot.cpu_s()
    charged_s = bot.stop().cpu_s

    assert own_s - NEAR < seen_s < own_s + NEAR
    assert seen_s <= charged_s < seen_s + NEAR


def test_time_is_what_the_group_counts(launcher: SandboxLauncher, tmp_path: Path) -> None:
    bot, _ = started(launcher, tmp_path)
    if bot.group is None:
        bot.stop()
        pytest.skip("this process can make no control groups")
    bot.pause()

    counted_s, seen_s = bot.group.cpu_s(), bot.cpu_s()
    bot.stop()

    assert abs(counted_s - seen_s) < NEAR


def test_time_of_a_bot_that_ended_by_itself_is_what_it_used(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    bot, own_s = started(launcher, tmp_path)
    os.write(bot.stdin, b"\n")
    assert bot.wait(TIMEOUT_S)

    usage = bot.stop()

    assert usage.exit_status == 0
    assert own_s - NEAR < usage.cpu_s < own_s + 2 * NEAR
