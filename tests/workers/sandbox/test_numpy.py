"""Bots in "python-numpy": what they see, that others see nothing of it, and what is counted."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.examples.onnx_file import write_model
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match.launcher import BotCommand, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.runner import SeatBot, play_match
from tests.workers.sandbox.bots import own_bot, read_line, watch_breach
from tests.workers.sandbox.ways import Way
from workers.sandbox.files.runtime import find_runtime
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation.forks.server import ForkedStarter
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot

LIMITS = Limits(startup_wall_s=20.0, action_wall_s=20.0)
PLAYS = """
import numpy as np

from pentathlon_engines.bot import Turn, play
from pentathlon_engines.model import open_session

session = open_session("policy.onnx")


def choose(turn: Turn) -> str:
    features = np.array([[len(turn.legal), turn.ply]], np.float32)
    (scores,) = session.run(None, {"features": features})
    return turn.legal[int(scores.argmax()) % len(turn.legal)]


play(choose)
"""
LOOKS = """
import json, os, sys
found = {}
for name in ("numpy", "onnxruntime", "torch"):
    try:
        found[name] = __import__(name).__file__.startswith(os.environ["PYTHONPATH"])
    except ModuleNotFoundError:
        found[name] = None
found["beside"] = sorted(os.listdir(os.environ["PYTHONPATH"]))
print(json.dumps(found), flush=True)
"""
COMPUTES = """
import os
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession("policy.onnx")
session.run(None, {"features": np.ones((1, 2), np.float32)})
print(int((np.ones((400, 400)) @ np.ones((400, 400))).sum()), flush=True)
input()
"""
HOLDS = "import numpy\nheld = numpy.ones(48 << 20)\nprint(len(held), flush=True)\ninput()"
SPINS = "import numpy\nheld = numpy.ones((500, 500))\nwhile True: held @ held"
OWN_NUMPY = "import numpy\nprint(numpy.mine)"
OWN_AST = "import ast, numpy\nprint(ast.mine, numpy.ones(2).sum() == 2)"


@pytest.fixture(scope="module", params=(Way.FORKS, Way.NAMESPACES, Way.LANDLOCK))
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened: SandboxLauncher = request.param.launcher()
    yield opened
    opened.close()


def learned(folder: Path, source: str) -> BotCommand:
    """Write a bot with a model; return its command."""
    own_bot(folder, source)
    text = 'name = "learned"\ngames = ["tuned"]\nlanguage = "python-numpy"\n'
    (folder / "bot.toml").write_text(text)
    layer = np.array([[1, 2, 3], [3, 2, 1]]), np.zeros(3)
    (folder / "policy.onnx").write_bytes(write_model([layer]))
    return bot_command(folder, read_manifest(folder))


def start(launcher: SandboxLauncher, command: BotCommand) -> SandboxedBot:
    return launcher.start(command, seat=0, limits=LIMITS)


def look(launcher: SandboxLauncher, command: BotCommand) -> dict[str, object]:
    bot = start(launcher, command)
    found: dict[str, object] = json.loads(read_line(bot))
    bot.stop()
    return found


def faults_of(launcher: Launcher, commands: Sequence[BotCommand]) -> object:
    seats = [SeatBot(name=str(seat), hash="", command=each) for seat, each in enumerate(commands)]
    report = play_match(
        game=GAMES["tuned"], options=None, seats=seats, seed=7, limits=LIMITS, launcher=launcher
    )
    return report.record["faults"]


def test_bot_plays_by_its_model(launcher: SandboxLauncher, tmp_path: Path) -> None:
    command = learned(tmp_path, PLAYS)

    assert faults_of(launcher, [command, command]) == []


def test_bot_plays_by_its_model_at_the_desk(tmp_path: Path) -> None:
    command = learned(tmp_path, PLAYS)

    assert faults_of(PlainLauncher(), [command, command]) == []


def test_only_bots_that_ask_for_packages_see_them(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    found = look(launcher, learned(tmp_path / "learned", LOOKS))
    plain = look(launcher, own_bot(tmp_path / "plain", LOOKS))

    beside = ["numpy", "numpy.libs", "onnxruntime", "pentathlon_engines"]
    assert found == {"numpy": True, "onnxruntime": True, "torch": None, "beside": beside}
    assert plain == {
        "numpy": None, "onnxruntime": None, "torch": None, "beside": ["pentathlon_engines"]
    }  # fmt: skip


def test_packages_compute_on_one_thread_and_tell_nobody(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    bot = start(launcher, learned(tmp_path, COMPUTES))

    assert read_line(bot) == f"{400**3}\n"
    assert bot.footprint().threads == 1
    bot.stop()


def test_no_two_bots_draw_alike(launcher: SandboxLauncher, tmp_path: Path) -> None:
    command = learned(tmp_path, "import numpy\nprint(numpy.random.random(), flush=True)\ninput()")
    drawn = set()
    for _ in range(2):
        bot = start(launcher, command)
        drawn.add(read_line(bot))
        bot.stop()

    assert len(drawn) == 2


def test_memory_and_time_of_packages_count_for_the_bot(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    holds = start(launcher, learned(tmp_path / "holds", HOLDS))
    assert watch_breach(holds).kind == "memory"
    holds.stop()

    short = replace(LIMITS, startup_wall_s=1.0, match_cpu_s=0.5)
    spins = launcher.start(learned(tmp_path / "spins", SPINS), seat=0, limits=short)
    assert watch_breach(spins).kind == "cpu_time"
    spins.stop()


def test_package_that_a_bot_brings_takes_the_place_of_ours(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    command = learned(tmp_path, OWN_NUMPY)
    (tmp_path / "numpy.py").write_text("mine = True")
    bot = start(launcher, command)

    assert read_line(bot) == "True\n"
    bot.stop()


def test_bots_with_packages_are_forks_of_a_server_of_their_own(tmp_path: Path) -> None:
    launcher = Way.FORKS.launcher()
    command = learned(tmp_path / "learned", OWN_AST)
    (tmp_path / "learned/ast.py").write_text("mine = True")
    bots = [start(launcher, each) for each in (own_bot(tmp_path / "plain", LOOKS), command)]

    assert launcher.forks is not None
    assert [isinstance(bot._starter, ForkedStarter) for bot in bots] == [True, True]
    assert len(launcher.forks._own) == 2
    assert read_line(bots[1]) == "True True\n", "nothing loads its C code again"
    for bot in bots:
        bot.stop()
    launcher.close()


def test_packages_that_a_bot_cannot_reach_are_copied_without_their_tests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workers.sandbox.files.runtime.is_readable_by", lambda path, uid: False)
    staging = Staging()

    found = find_runtime(staging, uid=os.geteuid(), packages=("numpy",))

    (numpy, libraries) = found.packages
    assert numpy.is_relative_to(staging.folder)
    assert (numpy.name, libraries.name) == ("numpy", "numpy.libs")
    assert not list(numpy.rglob("tests"))
    staging.close()
