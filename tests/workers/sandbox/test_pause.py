"""A bot stands still while it is paused, whatever it was in the midst of."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon_engines.match.limits import Limits
from tests.deep import by_turns
from tests.workers.sandbox.bots import native_bot_command, read_line
from tests.workers.sandbox.ways import Way
from workers.sandbox.launcher import SandboxLauncher

WAYS = tuple(Way)
TRICKS = ("populate_read", "map_populate", "sendfile", "splice", "random", "device")
PAUSES = 3
MOST_CPU_S = 0.15
"""CPU time in all pauses, in which four threads stop. A call that runs on takes .1 s a pause."""


@pytest.fixture
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened: SandboxLauncher = request.param.launcher()
    yield opened
    opened.close()


@pytest.mark.skipif(shutil.which("cc") is None, reason="C bots need a C compiler")
@pytest.mark.parametrize(("launcher", "trick"), by_turns(WAYS, zip(TRICKS)), indirect=["launcher"])
def test_no_call_runs_on_while_its_bot_is_paused(
    launcher: SandboxLauncher, tmp_path: Path, trick: str
) -> None:
    command = native_bot_command("native_runs_on", tmp_path)
    bot = launcher.start(command, seat=0, limits=Limits())
    os.write(bot.stdin, trick.encode() + b"\n")
    read_line(bot)

    paused_s = 0.0
    for _ in range(PAUSES):
        time.sleep(0.05)
        bot.pause()
        before = bot.cpu_s()
        time.sleep(0.2)
        paused_s += bot.cpu_s() - before
        assert bot.breach() is None
        bot.resume()
    bot.stop()

    assert paused_s < MOST_CPU_S
