"""A bot that is a fork of the server runs as one that a Python of its own runs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.match.limits import Limits
from tests.workers.sandbox.bots import TIMEOUT_S, own_bot, read_line, read_log
from tests.workers.sandbox.ways import Way
from workers.sandbox.launcher import SandboxLauncher

ENDS = {
    "end": "print('out')",
    "status": "import sys; sys.exit(3)",
    "message": "import sys; sys.exit('no more')",
    "no message": "raise SystemExit",
    "error": "def f(): 1 / 0\ntry: f()\nexcept ArithmeticError as e: raise ValueError('x') from e",
    "syntax": "print('a'\nx = = 1",
    "bytes": "#\0",
    "interrupt": "raise KeyboardInterrupt",
    "hook": "import sys\nsys.excepthook = lambda *a: print(a[1], file=sys.stderr)\n1 / 0",
    "handler": "import atexit\natexit.register(print, 'last')\nraise OSError(2, 'y')",
    "thread": "import threading\nthreading.Timer(.05, print, ['late']).start()",
    "broken thread": "import threading\nthreading.Thread(target=lambda: 1 / 0).start()",
    "at once": "import os; os._exit(7)",
    "abort": "import os; os.abort()",
    "bad address": "import ctypes; ctypes.string_at(8)",
    "input": "print(input('name? '))",
    "stdin": "import sys; print(sys.stdin.read(), sys.stdin.name, sys.stdin.isatty())",
}
LOOKS = """
import builtins, json, os, signal, sys, threading, time
import __main__
print(json.dumps({
    "flags": list(sys.flags), "argv": sys.argv, "orig_argv": sys.orig_argv, "path": sys.path,
    "executable": sys.executable, "prefix": sys.prefix, "main": sorted(vars(__main__)),
    "file": __file__, "name": __name__, "loader": type(__loader__).__name__,
    "spec": repr(__spec__), "doc": __doc__, "package": __package__, "cached": __cached__,
    "builtins": __builtins__ is builtins, "environment": dict(os.environ),
    "thread": threading.current_thread() is threading.main_thread(), "pid": os.getpid(),
    "ids": [os.getresuid(), os.getresgid(), os.getgroups()], "cwd": os.getcwd(),
    "session": os.getsid(0), "group": os.getpgrp(), "hash": hash("a"), "umask": os.umask(0),
    "signals": [str(signal.getsignal(number)) for number in range(1, 32)],
    "blocked": str(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "streams": [repr(f) for f in (sys.stdin, sys.stdout, sys.stderr)],
    "buffers": [f.line_buffering for f in (sys.stdout, sys.stderr)],
    "host": os.uname().nodename, "limit": sys.getrecursionlimit(),
    "scratch": os.stat("/tmp").st_mode, "root": sorted(set(os.listdir("/")) - {"bots"}),
    "folders": {path: sorted(os.listdir(path)) for path in ("/etc", "/opt/pentathlon", "/usr")},
    "game": __import__("pentathlon_engines").GAMES["tuned"].info.version,
    "stack": __import__("_thread").stack_size(),
    "native thread": threading.main_thread().native_id,
    "runs": time.clock_gettime(time.pthread_getcpuclockid(threading.get_ident())) > 0,
}), flush=True)
"""
WAYS = (Way.FORKS, Way.NAMESPACES)


@pytest.fixture(scope="module")
def launchers() -> Iterator[list[SandboxLauncher]]:
    opened = [way.launcher() for way in WAYS]
    if opened[0].forks is None:
        pytest.skip("this host has no memory for files of bots")
    yield opened
    for each in opened:
        each.close()


def run(launcher: SandboxLauncher, command: BotCommand) -> tuple[str, str, int]:
    """Let a bot run to its end, with an input of one line; return output, log and status.

    Bubblewrap tells a status above 128 as a signal.
    """
    bot = launcher.start(command, seat=0, limits=Limits())
    with suppress(BrokenPipeError):  # some end before they read
        os.write(bot.stdin, b"Ada\n")
    bot._pipes[0].close()
    log = read_log(bot)
    assert bot.wait(TIMEOUT_S)
    out = read_line(bot)
    status = bot.stop().exit_status
    return out, log, 128 - status if status > 128 else status


@pytest.mark.parametrize("name", ENDS)
def test_bot_ends_alike(launchers: list[SandboxLauncher], tmp_path: Path, name: str) -> None:
    command = own_bot(tmp_path / "bot", ENDS[name])

    forked, spawned = (run(launcher, command) for launcher in launchers)

    assert forked == spawned


def test_bot_finds_the_same_interpreter(launchers: list[SandboxLauncher], tmp_path: Path) -> None:
    command = own_bot(tmp_path / "bot", LOOKS)

    (forked, log, _), (spawned, _, _) = (run(launcher, command) for launcher in launchers)

    assert log == ""
    assert json.loads(forked) == json.loads(spawned)


def test_missing_file_ends_alike(launchers: list[SandboxLauncher], tmp_path: Path) -> None:
    command = own_bot(tmp_path / "bot", "")
    (command.folder / "main.py").unlink()

    forked, spawned = (run(launcher, command) for launcher in launchers)

    assert forked == spawned
    assert forked[2] == 2


@pytest.mark.parametrize(
    "place", ["random.py", "json/__init__.py", "lib/random.py", "ctypes/__init__.py"]
)
def test_module_of_the_bots_own_comes_before_one_that_was_loaded(
    launchers: list[SandboxLauncher], tmp_path: Path, place: str
) -> None:
    name = place.removeprefix("lib/").partition("/")[0].removesuffix(".py")
    source = f"import sys\nsys.path.insert(0, '/bot/lib')\nimport {name}\nprint({name}.__file__)\n"
    command = own_bot(tmp_path / "bot", source)
    (command.folder / place).parent.mkdir(exist_ok=True)
    (command.folder / place).write_text("")

    forked, spawned = (run(launcher, command) for launcher in launchers)

    assert forked == spawned
    assert forked[0] == f"/bot/{place}\n"


def test_no_two_bots_draw_alike(launchers: list[SandboxLauncher], tmp_path: Path) -> None:
    source = (
        "import random, os, tempfile\nprint(random.random(), os.urandom(8), tempfile.mktemp())"
    )
    command = own_bot(tmp_path / "bot", source)

    drawn = [run(launchers[0], command)[0] for _ in range(3)]

    assert len(set(drawn)) == 3
