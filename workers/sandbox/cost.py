"""Measures the cost of the sandbox over a plain process: `python -m workers.sandbox.cost`.

The aim is a start of at most 1.25 times a plain one. It is not reached: by CPU time, the least of
40 starts of a Python bot, it is 1.4 to 1.5 (14 ms plain, 20 ms here, on a busy machine). Of the 6
ms, mounts, filter, limits and the end take 2.1, bubblewrap's own start with users and mounts 1.4,
the network .8, dropping root .7 and the waiting shell .5; without the last two it would be 1.34.
The kernel takes most of it, and whatever else is left out would be a layer.

bubblewrap's own wait, `--block-fd`, takes the end of a dead worker for "go", so a shell waits
instead. There is no pool of waiting sandboxes: mounts and environment belong to one bot, so none
can be made before its bot is known.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from pentathlon_engines.match.launcher import BotCommand, Launcher, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.tools.turn_cost import measure_turn_cost
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation.bubblewrap import find_bwrap
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.uids import FIRST_UID, run_as

_ROUNDS = 40
_LONGEST_S = 10.0
_FOLDER = Path(__file__).with_name("canary")
_HELLO = BotCommand(
    folder=_FOLDER, argv=["{python}", "-s", "-S", "-B", "-c", "print('hello', flush=True)"]
)
_STEPS = {
    "bubblewrap with users and mounts": ["--unshare-user"],
    "processes": ["--unshare-pid", "--as-pid-1"],
    "network": ["--unshare-net"],
    "other namespaces": ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
}
_TRUE = BotCommand(folder=_FOLDER, argv=["/bin/true"])


def main() -> int:
    """Print start and turn costs, each measured in turns within one run."""
    # Between two sleeping cores the wake-ups would be measured.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    sandbox = SandboxLauncher()
    launchers: dict[SandboxLevel, Launcher] = {
        SandboxLevel.PROCESS: PlainLauncher(),
        SandboxLevel.NAMESPACES: sandbox,
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
    told = ", ".join(f"{name} {spent:.1f}" for name, spent in _parts_ms(sandbox).items())
    sys.stdout.write(f"CPU ms that a start in namespaces adds: {told}\n")
    return 0


def _parts_ms(launcher: SandboxLauncher) -> dict[str, float]:
    """Return the CPU milliseconds of each program in front of a bot, and of bubblewrap's steps."""
    bare = _program_ms([])
    uid = FIRST_UID if os.geteuid() == 0 else os.geteuid()
    drop = run_as(uid)[0]
    before = {
        Path(drop[0]).name if drop else "": drop,
        "shell": ["/bin/sh", "-c", 'exec "$@"', "sh"],
    }
    spent = {name: _program_ms(words) - bare for name, words in before.items() if words}
    spent |= _steps_ms(uid, bare)
    whole = _cpu_ms(lambda: _start_to_its_end(launcher))
    return {**spent, "mounts, filter, limits and end": whole - bare - sum(spent.values())}


def _steps_ms(uid: int, bare: float) -> dict[str, float]:
    """Return what bubblewrap takes for its own start and for one namespace after the other."""
    found, so_far = {}, bare
    with contextlib.closing(Staging()) as staging:
        words = [str(find_bwrap(staging, uid=uid)), "--ro-bind", "/", "/"]
        for name, more in _STEPS.items():
            words += more
            taken = _program_ms(words)
            found[name], so_far = taken - so_far, taken
    return found


def _start_to_its_end(launcher: SandboxLauncher) -> None:
    bot = launcher.start(_TRUE, seat=0, limits=Limits())
    bot.wait(_LONGEST_S)
    bot.stop()


def _program_ms(words: list[str]) -> float:
    return _cpu_ms(lambda: subprocess.run([*words, "/bin/true"], check=True))


def _cpu_ms(start: Callable[[], object]) -> float:
    """Return the median CPU milliseconds of processes that were started and have ended."""
    taken = []
    for _ in range(_ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
        taken.append(1000 * (user + system))
    return median(taken)


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
