"""Lets one hostile bot play a match in the sandbox and prints how it lost, as JSON."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

from pentathlon_engines import GAMES
from pentathlon_engines.manifest import BUILT_IN, bot_command, read_manifest
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import SeatBot, play_match
from tests.workers.sandbox import bots
from tests.workers.sandbox.arena import groups_left, lasting_survivors
from tests.workers.sandbox.ways import InNumpy, Way
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.cgroups import CgroupUse

LIMITS = Limits(startup_wall_s=20.0, action_wall_s=0.5, memory_mb=64)


class Watched(InNumpy):
    """Remembers under whose name its bots ran, and whether a group held them."""

    in_numpy = False

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> SandboxedBot:
        start = super().start if self.in_numpy else partial(SandboxLauncher.start, self)
        bot = start(command, seat=seat, limits=limits)
        self.uids = {*getattr(self, "uids", ()), Path(f"/proc/{bot.pid}").stat().st_uid}
        self.held = bot.group is not None
        return bot


def main() -> None:
    """Seat the bot that the command line names beside one that plays at random."""
    way, name, use = Way(sys.argv[1]), sys.argv[2], CgroupUse(sys.argv[3])
    launcher = Watched(way.level, forks=way.forks, cgroups=use)
    launcher.in_numpy = way is Way.NUMPY
    random = bot_command(BUILT_IN / "random", read_manifest(BUILT_IN / "random"))
    seats = [
        SeatBot(name=str(seat), hash="", command=command)
        for seat, command in enumerate((random, bots.bot_command(name)))
    ]
    report = play_match(
        game=GAMES["tuned"], options=None, seats=seats, seed=7, limits=LIMITS, launcher=launcher
    )
    launcher.close()
    found = {
        "faults": [[fault["seat"], fault["kind"]] for fault in report.record["faults"]],
        "ranks": report.record["outcome"]["ranks"],
        "group": launcher.held,
        "survivors": [name for uid in launcher.uids for name in lasting_survivors(uid)],
        "cgroups": groups_left(launcher),
        "core_pattern": Path("/proc/sys/kernel/core_pattern").read_text(),
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
