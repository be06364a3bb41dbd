"""Lets hostile bots loose in the sandbox and prints what became of each, as a line of JSON.

It runs as a process of its own, as root or as an ordinary user, so that whatever a bot breaks is
not the test's. Like a worker, it holds one bot after the other.
"""

from __future__ import annotations

import json
import os
import resource
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pentathlon_engines.match.launcher import BotCommand, Breach
from pentathlon_engines.match.limits import Limits
from tests.workers.sandbox.bots import TIMEOUT_S, bot_command, is_native, native_bot_command
from tests.workers.sandbox.ways import Way
from workers.sandbox.isolation.forks.server import ForkedStarter
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.cgroups import CgroupUse, own_prefix

LIMITS = Limits(
    startup_wall_s=0.25, match_cpu_s=0.25, memory_mb=64, scratch_mb=16, scratch_files=256
)
LONGEST_S = TIMEOUT_S / 2
LONGEST_END_S = 30
LONGEST_CPU_S = 20
TICK_S = 0.01
SECRET = "the worker's own secret"
ENDED = "Z"


def main() -> None:
    """Run the bots that are named after the way and use of control groups, else in the input."""
    way, use, *names = sys.argv[1:]
    os.environ["PENTATHLON_SECRET"] = SECRET
    launcher = Way(way).launcher(cgroups=CgroupUse(use))
    with tempfile.TemporaryDirectory() as programs:
        Path(programs).chmod(0o755)
        for name in names or map(str.strip, sys.stdin):
            # Nothing hostile runs in this process; if a bot gets out all the same, this bounds it.
            longest_s = int(time.process_time()) + LONGEST_CPU_S
            resource.setrlimit(resource.RLIMIT_CPU, (longest_s, resource.RLIM_INFINITY))
            found = let_loose(launcher, name, Path(programs, name))
            sys.stdout.write(f"{json.dumps(found)}\n")
            sys.stdout.flush()
    launcher.close()


def let_loose(launcher: SandboxLauncher, name: str, program: Path) -> dict[str, Any]:
    """Return what became of a bot, and of what it was told to harm."""
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(["sleep", "600"]) as sleeper,
    ):
        command = native_bot_command(name, program) if is_native(name) else bot_command(name)
        marker = Path(folder, "marker")
        marker.write_text("untouched")
        before = marker.stat()
        order = {
            "secret": SECRET, "marker": str(marker), "pid": sleeper.pid, "worker": os.getpid(),
        }  # fmt: skip
        found = fight(launcher, command, order)
        found["survivors"] = lasting_survivors(found["uid"], sleeper.pid, launcher=launcher)
        found["bystander"] = sleeper.poll() is None
        found["marker"] = marker.stat() == before or marker.read_text()
        found["cgroups"] = groups_left(launcher)
        found["siblings"] = sorted(path.name for path in Path(folder).iterdir())
        sleeper.kill()
    found["core_pattern"] = Path("/proc/sys/kernel/core_pattern").read_text()
    return found


def fight(launcher: SandboxLauncher, command: BotCommand, order: dict[str, Any]) -> dict[str, Any]:
    """Start the bot, send it the order and watch until it answers, ends or breaks a limit."""
    bot = launcher.start(command, seat=0, limits=LIMITS)
    uid = Path(f"/proc/{bot.pid}").stat().st_uid
    is_fork = isinstance(bot._starter, ForkedStarter)
    held = bot.group is not None and bot.pid in bot.group.processes()
    os.write(bot.stdin, json.dumps(order).encode() + b"\n")
    started = time.monotonic()
    answer, breach = watch(bot)
    watched_s = time.monotonic() - started
    log = read_all(bot.stderr)
    usage = bot.stop()
    breach = breach or bot.verdict(usage)
    return {
        "uid": uid,
        "group": held,
        "fork": is_fork,
        "answer": json.loads(answer) if answer else None,
        "verdict": breach.kind if breach else None,
        "detail": breach.detail if breach else "",
        "log": log.decode(errors="replace"),
        "exit_status": usage.exit_status,
        "cpu_s": usage.cpu_s,
        "memory_peak_mb": usage.memory_peak_mb,
        "watched_s": watched_s,
        "stopped_s": time.monotonic() - started - watched_s,
    }


def watch(bot: SandboxedBot) -> tuple[bytes, Breach | None]:
    """Return the bot's first line, or the limit that it broke before."""
    deadline = time.monotonic() + LONGEST_S
    text = b""
    while b"\n" not in text and time.monotonic() < deadline:
        if select.select([bot.stdout], [], [], TICK_S)[0]:
            part = os.read(bot.stdout, 65536)
            if not part:
                break
            text += part
        breach = bot.breach()
        if breach:
            return b"", breach
    return text, None


def groups_left(launcher: SandboxLauncher) -> list[str]:
    """Return the control groups that this process has made and not removed."""
    parents = launcher.cgroups.parents if launcher.cgroups else set()
    own = f"{own_prefix()}*"
    return sorted(str(path) for parent in parents for path in parent.glob(own))


def lasting_survivors(
    uid: int, *spared: int, launcher: SandboxLauncher | None = None
) -> list[str]:
    """Name survivors that a busy kernel has not ended within a while, either."""
    deadline = time.monotonic() + LONGEST_END_S
    while (found := survivors(uid, {*spared, *at_rest(launcher)})) and (
        time.monotonic() < deadline
    ):
        time.sleep(TICK_S)
    return found


def survivors(uid: int, spared: set[int]) -> list[str]:
    """Name the processes that we have started, and those of a bot's user that is not ours.

    One that has ended and waits for another to take notice of it is no survivor: the bots of a
    killed worker, which had this user before, wait so for the host's first process.
    """
    own = below(os.getpid())
    return [
        f"{pid} of {parent}, {state}: {command[:200]}"
        for pid, owner, parent, state, command in processes()
        if pid not in spared and (pid in own or (owner == uid != os.geteuid() and state != ENDED))
    ]


def at_rest(launcher: SandboxLauncher | None) -> set[int]:
    """Return the four processes that a fork server without bots has; no other one of it."""
    if launcher is None or launcher.forks is None:
        return set()
    outer = {server._child.pid for server in launcher.forks._own.values()}
    inner = [sorted(below(pid)) for pid in outer]
    return outer.union(*({*pids[:1], *pids[-2:]} for pids in inner))


def below(pid: int) -> set[int]:
    """Return the processes that a process has started, and those that they have."""
    parents = {child: parent for child, _, parent, _, _ in processes()}
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def processes() -> Iterator[tuple[int, int, int, str, str]]:
    """Yield the process id, user, parent, state and command line of every process."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent, *_ = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            yield int(folder.name), folder.stat().st_uid, int(parent), state, command


def read_all(descriptor: int) -> bytes:
    """Return what a pipe holds now."""
    try:
        return os.read(descriptor, 65536)
    except BlockingIOError:
        return b""


if __name__ == "__main__":
    main()
