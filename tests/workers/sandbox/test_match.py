from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.manifest import BUILT_IN, read_manifest
from pentathlon_engines.manifest import bot_command as manifest_command
from pentathlon_engines.match.launcher import BotCommand, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.advice import what_to_do
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.runner import MatchReport, SeatBot, play_match
from tests.deep import by_turns
from tests.workers.sandbox.bots import bot_command
from tests.workers.sandbox.hostile import IN_A_MATCH, NEEDS_A_WITNESS, OUT_OF_TIME
from tests.workers.sandbox.ways import Way
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.resources.cgroups import CgroupUse

WAYS = tuple(Way)
LIMITS = Limits(startup_wall_s=20.0, action_wall_s=20.0, memory_mb=64)
LARGE_FILE = 2 * 1024 * 1024
SHORT = Limits(startup_wall_s=20.0, action_wall_s=0.5, memory_mb=64)


@pytest.fixture(scope="module", params=WAYS)
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened: SandboxLauncher = request.param.launcher()
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


@pytest.mark.parametrize(
    ("launcher", "bot", "kind"), by_turns(WAYS, IN_A_MATCH.items()), indirect=["launcher"]
)
def test_hostile_bot_loses_with_its_fault(launcher: SandboxLauncher, bot: str, kind: str) -> None:
    report = play(launcher, built_in("random"), bot_command(bot))

    assert [(fault["seat"], fault["kind"]) for fault in report.record["faults"]] == [(1, kind)]
    assert report.record["outcome"]["ranks"] == [0, 1]


def test_program_that_cannot_be_started_is_explained_in_the_log(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    (tmp_path / "run.sh").write_bytes(b"#!/bin/sh\r\nexec true\r\n")
    (tmp_path / "run.sh").chmod(0o755)
    command = BotCommand(folder=tmp_path, argv=["./run.sh"], language="command")

    report = play(launcher, built_in("random"), command)

    (fault,) = report.record["faults"]
    assert (fault["seat"], fault["kind"]) == (1, "startup")
    assert "./run.sh: its first line ends with CR" in report.logs[1].decode()


@pytest.mark.parametrize(
    ("launcher", "bot"), by_turns(WAYS, zip(OUT_OF_TIME)), indirect=["launcher"]
)
def test_bot_without_an_answer_loses_on_time(launcher: SandboxLauncher, bot: str) -> None:
    report = play(launcher, built_in("random"), bot_command(bot), limits=SHORT)

    faults = [fault["kind"] for fault in report.record["faults"]]
    # Without a namespace around the bot, the end of its output is seen at once.
    assert faults == ["wall_time"] or (bot, faults) == ("closes_output", ["crash"])


@pytest.mark.deep
def test_bot_that_keeps_the_disk_busy_is_not_given_back(launcher: SandboxLauncher) -> None:
    with pages_dropped(Path("/usr/lib")):
        report = play(launcher, built_in("random"), bot_command("reads_cold_pages"), limits=SHORT)

    (fault,) = report.record["faults"]
    # If its files are on no disk, the bot never waits and only runs.
    assert fault["kind"] in {"wall_time", "cpu_time"}
    assert report.record["outcome"]["ranks"] == [0, 1]


@contextmanager
def pages_dropped(folder: Path) -> Iterator[None]:
    """Have the kernel forget again and again what it has read of the large files of a folder."""
    with ExitStack() as stack:
        files = [
            stack.enter_context(path.open("rb"))
            for path in folder.rglob("*")
            if path.is_file() and path.stat().st_size >= LARGE_FILE and os.access(path, os.R_OK)
        ]
        is_over = Event()

        def drop() -> None:
            while not is_over.wait(0.02):
                for file in files:
                    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

        dropper = Thread(target=drop)
        dropper.start()
        stack.callback(dropper.join)
        stack.callback(is_over.set)
        yield


def test_owner_of_a_bot_that_was_refused_a_thread_learns_of_the_limit() -> None:
    launcher = SandboxLauncher(SandboxLevel.NAMESPACES, cgroups=CgroupUse.NEVER)
    report = play(launcher, built_in("random"), bot_command(NEEDS_A_WITNESS))
    launcher.close()

    (fault,) = report.record["faults"]
    log = report.logs[1].decode()
    advice = what_to_do(fault["kind"], log=log, limits=report.record["limits"])
    assert fault["kind"] == "crash"
    assert "likely cause is its limit `tasks`: 16 threads and processes" in advice
