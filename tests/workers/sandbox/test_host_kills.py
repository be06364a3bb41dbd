"""A bot that was killed by its host, told from one that wants to look so."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pentathlon_engines.match.launcher import BotCommand, EndedFromOutside, SandboxLevel
from pentathlon_engines.match.limits import Limits
from tests.deep import mostly_deep
from tests.workers.sandbox.bots import TIMEOUT_S, bot_command, own_bot, read_line
from tests.workers.sandbox.ways import Way
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.sandbox.resources.cgroups import Group

WAYS = tuple(Way)
SEAT = 1

# Each attempt tries to end by SIGKILL, or to seem so; those that fail end with status 3.
ATTEMPTS = {
    "kills itself": "os.kill(os.getpid(), 9)",
    "kills its group": "os.kill(0, 9)",
    "kills all": "os.kill(-1, 9)",
    "kills its thread": "signal.pthread_kill(threading.get_ident(), 9)",
    "exit status": "os._exit(137)",
    "exit status modulo 256": "os._exit(137 + 256)",
    "exit status of Python": "sys.exit(137)",
    "exit of a thread": "libc.syscall(60, 137)",
    "lower CPU limit": """
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
while time.process_time() < 1.5: pass
""",
    "lower CPU limit by another call": """
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
libc.syscall(160, 0, (ctypes.c_ulong * 2)(1, 1))
while time.process_time() < 1.5: pass
""",
    "a stack that is too small": """
resource.setrlimit(resource.RLIMIT_STACK, (4096, 4096))
os.execv(sys.executable, [sys.executable, "-c", "x" * 100000])
""",
    "a space that is too small": """
resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
os.execv(sys.executable, [sys.executable, "-c", "pass"])
""",
    "signal of its parent": "libc.prctl(1, 9)",
    "signal of its pipe": """
fcntl.fcntl(0, 8, os.getpid())
fcntl.fcntl(0, 10, 9)
fcntl.fcntl(0, fcntl.F_SETFL, os.O_ASYNC)
print("ready", flush=True)
sys.stdin.readline()
""",
    "signal of a timer": """
event = (ctypes.c_int * 16)(0, 0, 9, 0)
timer = ctypes.c_int()
libc.timer_create(0, event, ctypes.byref(timer))
libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 1000, 0, 1000), None)
time.sleep(0.2)
""",
}
_PREAMBLE = """
import ctypes, fcntl, os, resource, signal, sys, threading, time
libc = ctypes.CDLL(None)
print("begins", flush=True)
sys.stdin.readline()
try:
"""
_POSTSCRIPT = "\nexcept (OSError, ValueError):\n    pass\nos._exit(3)\n"


@pytest.fixture(scope="module", params=mostly_deep(WAYS, keep=[Way.FORKS]))
def launcher(request: pytest.FixtureRequest) -> Iterator[SandboxLauncher]:
    opened: SandboxLauncher = request.param.launcher()
    yield opened
    opened.close()


def started(launcher: SandboxLauncher, command: BotCommand) -> SandboxedBot:
    bot = launcher.start(command, seat=SEAT, limits=Limits())
    os.write(bot.stdin, b"go\n")
    read_line(bot)
    return bot


def let_end(bot: SandboxedBot) -> None:
    """Wait as the runner does: until nobody holds the bot's output, with a look now and then."""
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        if select.select([bot.stdout], [], [], 0.02)[0] and not os.read(bot.stdout, 4096):
            return
        bot.wait(0)
    raise TimeoutError("it goes on")


def attempt(folder: Path, name: str) -> BotCommand:
    body = "\n".join(f"    {line}" for line in ATTEMPTS[name].strip().splitlines())
    return own_bot(folder / "bot", f"{_PREAMBLE}{body}{_POSTSCRIPT}")


def kill_bot(bot: SandboxedBot) -> None:
    os.kill(bot.pid, signal.SIGKILL)


def kill_starter(bot: SandboxedBot) -> None:
    status = Path(f"/proc/{bot.pid}/status").read_text()
    os.kill(int(status.partition("PPid:")[2].split()[0]), signal.SIGKILL)


@pytest.mark.parametrize(
    ("way", "kill"),
    [
        (Way.FORKS, kill_bot),
        (Way.FORKS, kill_starter),
        (Way.NAMESPACES, kill_bot),
        (Way.NAMESPACES, kill_starter),
        (Way.LANDLOCK, kill_bot),
    ],
)
def test_bot_that_its_host_killed_is_not_to_blame(
    way: Way, kill: Callable[[SandboxedBot], None]
) -> None:
    launcher = way.launcher()
    bot = started(launcher, bot_command("echo"))

    kill(bot)
    let_end(bot)

    with pytest.raises(EndedFromOutside) as caught:
        bot.verdict(bot.stop())
    assert caught.value.seat == SEAT
    launcher.close()


@pytest.mark.parametrize("name", ATTEMPTS)
def test_no_bot_ends_like_one_that_its_host_killed(
    launcher: SandboxLauncher, tmp_path: Path, name: str
) -> None:
    bot = started(launcher, attempt(tmp_path, name))
    with suppress(BrokenPipeError):
        os.write(bot.stdin, b"go\n")
    let_end(bot)

    usage = bot.stop()

    bot.verdict(usage)  # raises nothing: it is a crash, or a limit


def test_bot_that_we_stop_was_not_ended_by_its_host(launcher: SandboxLauncher) -> None:
    bot = started(launcher, bot_command("echo"))

    assert bot.verdict(bot.stop()) is None


class MemoryOfTheHost(Group):
    """A group of which the kernel killed a process for want of the host's memory."""

    def __init__(self) -> None:
        """Have no folders."""

    def memory_kills(self) -> int:
        """Return none: the group's own memory was not used up."""
        return 0

    def foreign_kills(self) -> int:
        """Return one."""
        return 1

    def tasks_refused(self) -> int:
        """Return none."""
        return 0


def test_child_that_died_for_the_hosts_memory_is_not_the_bots_fault(tmp_path: Path) -> None:
    launcher = SandboxLauncher(SandboxLevel.NAMESPACES)
    bot = started(launcher, own_bot(tmp_path / "bot", _PREAMBLE + "    os._exit(1)" + _POSTSCRIPT))
    bot.group = MemoryOfTheHost()
    let_end(bot)

    with pytest.raises(EndedFromOutside):
        bot.verdict(bot.stop())
    launcher.close()
