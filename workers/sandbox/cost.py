"""Measures the cost of the sandbox over a plain process: `python -m workers.sandbox.cost`.

A Python bot that loads the kit's helper is a fork of a warm Python (`README.md`). Aimed at: at
most .6 of a plain start of the same bot, if possible .5. Reached, with the flags that bots get:
.29 (8.0 CPU ms and 27.3, least of 80, on a machine with a load of 20: read the ratio only), by
bubblewrap 1.07 to 1.22, under Landlock 1.55. Of the 8 ms of a fork the worker takes 1.6, the bot's
own program 1.8, and the rest is the server's: a fork with some 360 page faults, which take two
fifths, a network (1), namespaces, mounts, the filter (.4), and their end.

These ideas were tried for forks, in CPU ms of that machine:

- One fork for each bot instead of two, as its first one waited for the bot's end: 2.5. Kept.
- To make in the server what a fork needs: sockets, calls, the filter in memory, C types; numbers
  instead of names in requests; files of bots that hide modules are looked for by the worker, once
  for each bot: 2. Kept.
- To bind all names of libraries at the start of the server (`LD_BIND_NOW`): .2, and a variable to
  hide from bots. Rejected.
- Not to look at every file of a bot again before each match: .5 of the worker's 2.3. Kept.
- To ask for the inherited memory once for each server: .15. Kept.
- Forks that inherit the page tables of programs and libraries, too: 70 page faults less, but as
  much to copy and to remove. Rejected.
- The program of the server before the modules that bots import, so that its objects lie together:
  nothing.
- A smaller buffer for requests: nothing.
- One network for all bots of a server: 1, and a wall between them less. Rejected.

And these for bubblewrap, by which bots in other languages start, at 1.55 to 1.6 of a plain start
of a Python that only prints (6.5 ms and 10.4, least of 40, quiet); all were rejected:

- No shell: 1.0 less, but then a bot could outlive its worker (`isolation/bubblewrap.py`). A
  program of 200 bytes that only waits would take .04, in machine code of our own for each
  processor, before every bot.
- One root with links, libraries and engines instead of a mount for each: .15 less, for a copy of
  them for each worker.
- A network that bots join instead of a new one each: .4 less, but only a root of the host can
  make one, and bots one after the other would share its sockets and counters.
- The host's folders instead of copies in memory: .3 less, but they remember names (`README.md`).
"""

from __future__ import annotations

import contextlib
import os
import resource
import select
import subprocess
import sys
from collections.abc import Callable
from functools import partial

from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.match.launcher import BotCommand, Launcher, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.tools.turn_cost import measure_turn_cost
from workers.sandbox.files.staging import Staging
from workers.sandbox.isolation.bubblewrap import find_bwrap
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.uids import FIRST_UID

_ROUNDS = 4
_STARTS = 50
"""Of each kind in one round; the time of a fork server is known to 10 ms only."""
_LONGEST_S = 10.0
_BOT = "import pentathlon_engines.bot\nprint('hello', flush=True)\ninput()\n"
_STEPS = {
    "bubblewrap with users and mounts": ["--unshare-user"],
    "processes": ["--unshare-pid", "--as-pid-1"],
    "network": ["--unshare-net"],
    "other namespaces": ["--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    "shell": ["/bin/sh", "-c", 'read -r go; exec "$@"', "sh"],
}


def main() -> int:
    """Print start and turn costs, each measured in turns within one run."""
    # On two cores, the time to wake a sleeping core would be measured.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    forks = SandboxLauncher()
    launchers: dict[str, Launcher] = {
        "plain": PlainLauncher(),
        "forks": forks,
        "bubblewrap": SandboxLauncher(forks=False),
        "landlock": SandboxLauncher(SandboxLevel.LANDLOCK),
    }
    with contextlib.closing(Staging(forks.memory)) as staging:
        folder = staging.new_folder()
        folder.chmod(0o755)
        (folder / "main.py").write_text(_BOT)
        argv = [*LANGUAGES["python"].argv[:-1], "{bot}/main.py"]
        bot = BotCommand(folder=folder, argv=argv)
        starts = _start_costs(launchers, bot)
        parts = _parts_ms(forks, bot)
    for name, launcher in launchers.items():
        turn = measure_turn_cost(launcher, request={"type": "act", "ply": 0})
        sys.stdout.write(
            f"{name:<11} start to end {starts[name]:5.1f} CPU ms "
            f"({starts[name] / starts['plain']:.2f}x)   turn {turn.turn_us:5.1f} us,"
            f" bare round trip {turn.raw_us:5.1f} us ({turn.ratio:.2f}x)\n"
        )
    for what, spent in (("of a fork", parts), ("of bubblewrap", _steps_ms())):
        told = ", ".join(f"{name} {each:.1f}" for name, each in spent.items())
        sys.stdout.write(f"CPU ms {what}: {told}\n")
    return 0


def _start_costs(launchers: dict[str, Launcher], bot: BotCommand) -> dict[str, float]:
    """Return the CPU milliseconds from the launch of a bot to its reaped process.

    Of several rounds the least, because a busy machine adds to all others.
    """
    taken: dict[str, list[float]] = {name: [] for name in launchers}
    for _ in range(_ROUNDS):
        for name, launcher in launchers.items():
            _start_to_its_end(launcher, bot)  # which may start the fork server
            before = _used_s(launcher)
            for _ in range(_STARTS):
                _start_to_its_end(launcher, bot)
            taken[name].append(1000 * (_used_s(launcher) - before) / _STARTS)
    return {name: min(times) for name, times in taken.items()}


def _parts_ms(launcher: SandboxLauncher, bot: BotCommand) -> dict[str, float]:
    """Return who uses the CPU milliseconds of the start of a fork."""
    own, whole = _own_s(), _used_s(launcher)
    program_s = sum(_start_to_its_end(launcher, bot) for _ in range(_STARTS))
    own, whole = _own_s() - own, _used_s(launcher) - whole
    spent = {
        "worker": own, "server and walls": whole - own - program_s, "the bot's program": program_s
    }  # fmt: skip
    return {name: 1000 * each / _STARTS for name, each in spent.items()}


def _steps_ms() -> dict[str, float]:
    """Return the CPU milliseconds of bubblewrap's own start and of each namespace."""
    uid = FIRST_UID if os.geteuid() == 0 else os.geteuid()
    so_far = _program_ms([])
    found = {}
    with contextlib.closing(Staging()) as staging:
        words = [str(find_bwrap(staging, uid=uid)), "--ro-bind", "/", "/"]
        for name, more in _STEPS.items():
            words += more
            taken = _program_ms(words)
            found[name], so_far = taken - so_far, taken
    return found


def _start_to_its_end(launcher: Launcher, command: BotCommand) -> float:
    """Return the CPU seconds of the bot itself."""
    bot = launcher.start(command, seat=0, limits=Limits())
    select.select([bot.stdout], [], [], _LONGEST_S)
    return bot.stop().cpu_s


def _program_ms(words: list[str]) -> float:
    """Return the least CPU milliseconds of a program that does nothing."""
    run = partial(subprocess.run, [*words, "/bin/true"], input=b"\n", check=True)
    return min(_spent_ms(run) for _ in range(_STARTS))


def _spent_ms(run: Callable[[], object]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _used_s(launcher: Launcher) -> float:
    """Return the CPU seconds of this process, its children and their fork servers."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    servers = launcher.forks if isinstance(launcher, SandboxLauncher) else None
    forked_s = servers.cpu_s() if servers else 0.0
    return _own_s() + children.ru_utime + children.ru_stime + forked_s


def _own_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
