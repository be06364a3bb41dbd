from __future__ import annotations

from collections.abc import Iterator

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.launcher import BotCommand, SandboxLevel
from pentathlon_engines.limits import Limits
from pentathlon_engines.manifest import BUILT_IN, read_manifest
from pentathlon_engines.manifest import bot_command as manifest_command
from pentathlon_engines.record import verify_record
from pentathlon_engines.runner import MatchReport, SeatBot, play_match
from tests.workers.sandbox.bots import bot_command
from workers.sandbox.launcher import SandboxLauncher

LIMITS = Limits(startup_wall_s=20.0, action_wall_s=20.0, memory_mb=64)
SHORT = Limits(startup_wall_s=20.0, action_wall_s=0.5, memory_mb=64)
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
    "network": "protocol",
    "segfault": "crash",
    "stderr_flood": "output",
    "stdout_flood": "output",
}
OUT_OF_TIME = ("closes_output", "half_line", "never_reads", "sleeps", "slow_drip", "stops_itself")


@pytest.fixture(params=[SandboxLevel.NAMESPACES, SandboxLevel.LANDLOCK])
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened = SandboxLauncher(request.param)
    yield opened
    opened.close()


def built_in(name: str) -> BotCommand:
    folder = BUILT_IN / name
    return manifest_command(folder, read_manifest(folder))


def play(launcher: SandboxLauncher, *commands: BotCommand, limits: Limits = LIMITS) -> MatchReport:
    seats = [SeatBot(name=str(seat), hash="", command=each) for seat, each in enumerate(commands)]
    return play_match(
        game=GAMES["tuned"], options=None, seats=seats, seed=7, limits=limits, launcher=launcher
    )


def test_match_in_the_sandbox_has_a_valid_record_that_names_the_level(
    launcher: SandboxLauncher,
) -> None:
    report = play(launcher, built_in("random"), built_in("random"))

    assert report.record["sandbox"] == launcher.level
    assert {"identity", "filesystem", "syscalls", "rlimits"} <= set(report.record["layers"])
    namespaces = launcher.level is SandboxLevel.NAMESPACES
    assert ("namespaces" in report.record["layers"]) == namespaces
    assert report.record["faults"] == []
    assert verify_record(report.record).outcome is not None


@pytest.mark.parametrize(("bot", "kind"), IN_A_MATCH.items())
def test_hostile_bot_loses_with_its_fault(launcher: SandboxLauncher, bot: str, kind: str) -> None:
    report = play(launcher, built_in("random"), bot_command(bot))

    assert [(fault["seat"], fault["kind"]) for fault in report.record["faults"]] == [(1, kind)]
    assert report.record["outcome"]["ranks"] == [0, 1]


@pytest.mark.parametrize("bot", OUT_OF_TIME)
def test_bot_without_an_answer_loses_on_time(launcher: SandboxLauncher, bot: str) -> None:
    report = play(launcher, built_in("random"), bot_command(bot), limits=SHORT)

    faults = [fault["kind"] for fault in report.record["faults"]]
    # Without a namespace around it, the end of its output is seen at once.
    assert faults == ["wall_time"] or (bot, faults) == ("closes_output", ["crash"])
