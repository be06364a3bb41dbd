"""Measures the cost of the sandbox over a plain process: `python -m workers.sandbox.cost`.

The aim is a start that costs at most 1.25 times as much as a plain one. It is not reached: the
least CPU time of 40 starts of a Python bot is 1.55 to 1.6 times as much (6.5 ms plain, 10.4 here).
Of the 3.9 ms, bubblewrap takes 1.4 with users and mounts of the simplest kind, the network .4, the
waiting shell .7, mounts, filter, limits and the end .8, and the worker's own part .7. So the floor
is 1.28: bubblewrap's start, its users and an empty network take more than a quarter of a plain
start, .7 of it to load a program and most of the rest in the kernel. These ideas were tried and
rejected:

- No shell: 1.0 less, but then a bot could outlive its worker (`isolation/bubblewrap.py`). A
  program of 200 bytes that only waits would take .04, in machine code of our own for each
  processor, before every bot.
- One root with links, libraries and engines instead of a mount for each: .15 less, for a copy of
  them for each worker.
- A network that bots join instead of a new one each: .4 less, but only a root of the host can
  make one, and bots one after the other would share its sockets and counters.
- The host's folders instead of copies in memory: .3 less, but they remember names (`README.md`).
- A pool of waiting sandboxes: mounts and environment belong to one bot, so none can be made
  before its bot is known.
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pentathlon_engines.match.launcher import BotCommand, Launcher, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.tools.turn_cost import measure_turn_cost
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation.bubblewrap import find_bwrap
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.uids import FIRST_UID

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
_SHELL = ["/bin/sh", "-c", 'read -r go; exec "$@"', "sh"]
_OURS, _THEIRS = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
_TRUE = BotCommand(folder=_FOLDER, argv=["/bin/true"])


def main() -> int:
    """Print start and turn costs, each measured in turns within one run."""
    # On two cores, the time to wake a sleeping core would be measured.
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
            f"{level:<11} start to end {starts[level]:5.1f} CPU ms "
            f"({starts[level] / plain_ms:.2f}x)   turn {turn.turn_us:5.1f} us,"
            f" bare round trip {turn.raw_us:5.1f} us ({turn.ratio:.2f}x)\n"
        )
    told = ", ".join(f"{name} {spent:.1f}" for name, spent in _parts_ms(sandbox).items())
    sys.stdout.write(f"CPU ms that a start in namespaces adds: {told}\n")
    return 0


def _parts_ms(launcher: SandboxLauncher) -> dict[str, float]:
    """Return the CPU milliseconds of the steps of a start, beyond those of a plain one."""
    plain = PlainLauncher()
    bare = _program_ms([])
    uid = FIRST_UID if os.geteuid() == 0 else os.geteuid()
    spent = _steps_ms(uid, bare)
    spent["shell"] = _program_ms(_SHELL) - bare
    own, plain_own = (_cpu_ms(_true_by(each), _OURS) for each in (launcher, plain))
    theirs, plain_theirs = (_cpu_ms(_true_by(each), _THEIRS) for each in (launcher, plain))
    rest = theirs - plain_theirs - sum(spent.values())
    return {**spent, "mounts, filter, limits and end": rest, "worker": own - plain_own}


def _steps_ms(uid: int, bare: float) -> dict[str, float]:
    """Return the CPU milliseconds of bubblewrap's own start and of each namespace."""
    found, so_far = {}, bare
    with contextlib.closing(Staging()) as staging:
        words = [str(find_bwrap(staging, uid=uid)), "--ro-bind", "/", "/"]
        for name, more in _STEPS.items():
            words += more
            taken = _program_ms(words)
            found[name], so_far = taken - so_far, taken
    return found


def _true_by(launcher: Launcher) -> Callable[[], None]:
    return partial(_start_to_its_end, launcher, _TRUE)


def _start_to_its_end(launcher: Launcher, command: BotCommand) -> None:
    bot = launcher.start(command, seat=0, limits=Limits())
    select.select([bot.stdout], [], [], _LONGEST_S)
    bot.stop()


def _program_ms(words: list[str]) -> float:
    return _cpu_ms(lambda: subprocess.run([*words, "/bin/true"], input=b"\n", check=True), _THEIRS)


def _start_costs(launchers: dict[SandboxLevel, Launcher]) -> dict[SandboxLevel, float]:
    """Return the least CPU milliseconds from the launch of a bot to its reaped process."""
    taken: dict[SandboxLevel, list[float]] = {level: [] for level in launchers}
    for _ in range(_ROUNDS):
        for level, launcher in launchers.items():
            start = partial(_start_to_its_end, launcher, _HELLO)
            taken[level].append(_once_ms(start, _OURS, _THEIRS))
    return {level: min(times) for level, times in taken.items()}


def _cpu_ms(start: Callable[[], object], *whose: int) -> float:
    """Return the least CPU milliseconds of a start, because a busy machine adds to all others."""
    return min(_once_ms(start, *whose) for _ in range(_ROUNDS))


def _once_ms(start: Callable[[], object], *whose: int) -> float:
    before = _used_s(whose)
    start()
    return 1000 * (_used_s(whose) - before)


def _used_s(whose: Sequence[int]) -> float:
    used = map(resource.getrusage, whose)
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    sys.exit(main())
