"""Measures the cost of the sandbox over a plain process: `python -m workers.sandbox.cost`."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from pathlib import Path
from statistics import median

from pentathlon_engines.match.launcher import BotCommand, Launcher, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.tools.turn_cost import measure_turn_cost
from workers.sandbox.launcher import SandboxLauncher

_ROUNDS = 40
_FOLDER = Path(__file__).with_name("canary")
_HELLO = BotCommand(
    folder=_FOLDER, argv=["{python}", "-s", "-S", "-B", "-c", "print('hello', flush=True)"]
)


def main() -> int:
    """Print start and turn costs, each measured in turns within one run."""
    # Between two sleeping cores the wake-ups would be measured.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    launchers: dict[SandboxLevel, Launcher] = {
        SandboxLevel.PROCESS: PlainLauncher(),
        SandboxLevel.NAMESPACES: SandboxLauncher(),
        SandboxLevel.LANDLOCK: SandboxLauncher(SandboxLevel.LANDLOCK),
    }
    starts = _start_costs(launchers)
    plain_ms = starts[SandboxLevel.PROCESS]
    for level, launcher in launchers.items():
        with contextlib.chdir(_FOLDER):
            turn = measure_turn_cost(launcher, request={"type": "act", "ply": 0})
        sys.stdout.write(
            f"{level:<11} start to end {starts[level]:5.1f} ms ({starts[level] / plain_ms:.2f}x)"
            f"   turn {turn.turn_us:5.1f} us, bare round trip {turn.raw_us:5.1f} us"
            f" ({turn.ratio:.2f}x)\n"
        )
    return 0


def _start_costs(launchers: dict[SandboxLevel, Launcher]) -> dict[SandboxLevel, float]:
    """Return the median milliseconds from the launch to the reaped process."""
    taken: dict[SandboxLevel, list[float]] = {level: [] for level in launchers}
    for _ in range(_ROUNDS):
        for level, launcher in launchers.items():
            taken[level].append(_start_and_end_ms(launcher))
    return {level: median(times) for level, times in taken.items()}


def _start_and_end_ms(launcher: Launcher) -> float:
    started = time.perf_counter()
    bot = launcher.start(_HELLO, seat=0, limits=Limits())
    select.select([bot.stdout], [], [])
    os.read(bot.stdout, 64)
    bot.stop()
    return 1000 * (time.perf_counter() - started)


if __name__ == "__main__":
    sys.exit(main())
