"""What a bot can observe is the same after another past and beside another opponent."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pentathlon_engines.match.launcher import BotCommand, SandboxLevel
from pentathlon_engines.match.limits import Limits
from tests.workers.sandbox.bots import bot_command, own_bot, read_line
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.system_calls.filters import syscall_numbers
from workers.sandbox.system_calls.policy import KILL, Variant, rules

Seen = dict[str, Any]  # Any: what the bot writes as JSON

# These would end, stop or wait for the bot, or they return an address, which is drawn at random.
_NOT_TRIED = """
exit exit_group rt_sigreturn pause ppoll brk mmap clone set_tid_address kill rt_sigsuspend execve
execveat alarm restart_syscall vfork fork sched_yield time times getrandom clock_nanosleep
nanosleep
"""
_PAST = """
import ctypes, os, sys, threading
sys.stdin.readline()
libc = ctypes.CDLL(None)
for number in range(3000):
    for folder in ("/usr/bin", "/usr/lib", "/bot", "/opt/pentathlon", "/dev"):
        os.access(f"{folder}/.note-{number}", os.F_OK)
for name in ("/dev/null", "/usr/bin/env", "/bot/main.py"):
    try:
        os.utime(name)
        open(name).read()
    except (OSError, ValueError):
        pass
for number in range(1500):
    for end in os.pipe():
        os.close(end)
for number in range(100):
    open(f"/tmp/note-{number}", "w").write("x")
print("done", flush=True)
sys.stdin.read()
"""
_OPPONENT = """
import sys, threading
held = bytearray(24 << 20)
for _ in range(8):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("waits", flush=True)
sys.stdin.read()
"""
TIMES = {
    "clock": "the time itself",
    "new file.mtime": "the time itself",
    "new file.atime": "the time itself",
    "new file.ctime": "the time itself",
    "files.mtime of own files": "the start of the bot: folders of its own root",
    "files.atime of own files": "the start of the bot",
    "files.ctime of own files": "the start of the bot",
    "usage.ru_utime": "its own CPU time",
    "usage.ru_stime": "its own CPU time",
    "usage.ru_nvcsw": "how often it waited for the worker",
    "usage.ru_nivcsw": "how busy the host is",
    "usage.ru_minflt": "pages that happened to be in memory",
    "usage.ru_majflt": "pages that had to be read",
    "usage.ru_maxrss": "pages that happened to be mapped at once",
    "usage.ru_inblock": "pages that had to be read",
}
NUMBERS = {
    "pipes to the worker": "one counter of the host numbers all pipes",
    "new pipe": "one counter of the host numbers all pipes",
    "files.dev of own files": "the host numbers mounts of memory in turn",
    "files.ino of own files": "the bot's folder is a copy with a number of its own",
    "new file.dev": "the host numbers mounts of memory in turn",
}
ALLOWED = {SandboxLevel.NAMESPACES: TIMES | NUMBERS}
"""What may differ, and why; the README says how many bits each may carry."""


@pytest.fixture
def launcher() -> Iterator[SandboxLauncher]:
    opened = SandboxLauncher()
    if opened.memory is None:
        pytest.skip("this host has no file system in memory in which programs may run")
    yield opened
    opened.close()


def tried() -> dict[str, int]:
    """Return the numbers of the system calls to try: all but those that end the bot."""
    numbers = syscall_numbers(os.uname().machine)
    table = rules(Variant.NAMESPACES)
    return {
        name: numbers[name]
        for name, rule in table.items()
        if name in numbers and rule.otherwise != KILL and name not in _NOT_TRIED.split()
    }


def observed(launcher: SandboxLauncher) -> Seen:
    """Return what a bot saw, with what it has within a part named `part.name`."""
    bot = launcher.start(bot_command("observes"), seat=0, limits=Limits())
    order = {"message": {"type": "hello", "match": "m"}, "calls": tried()}
    os.write(bot.stdin, json.dumps(order).encode() + b"\n")
    seen: Seen = json.loads(read_line(bot))
    bot.stop()
    return dict(_flat(seen))


def _flat(seen: Seen) -> Iterator[tuple[str, Any]]:
    for name, value in seen.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", each) for inner, each in value.items())
        else:
            yield name, value


def play(launcher: SandboxLauncher, command: BotCommand, undo: ExitStack) -> None:
    """Let another bot run until it has said something, and pause it."""
    bot = launcher.start(command, seat=1, limits=Limits())
    undo.callback(bot.stop)
    os.write(bot.stdin, b"{}\n")
    read_line(bot)
    bot.pause()


def test_past_and_opponent_change_nothing_that_a_bot_observes(
    launcher: SandboxLauncher, tmp_path: Path
) -> None:
    before = observed(launcher)
    with ExitStack() as undo:
        play(launcher, own_bot(tmp_path / "past", _PAST), undo)
    with ExitStack() as undo:
        play(launcher, own_bot(tmp_path / "opponent", _OPPONENT), undo)
        after = observed(launcher)

    differs = {name for name in before if before[name] != after[name]}
    assert before.keys() == after.keys()
    assert len(before) > 250
    assert differs - ALLOWED[SandboxLevel.NAMESPACES].keys() == set()
