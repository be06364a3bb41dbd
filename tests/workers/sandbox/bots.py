"""Starting the bots beside these tests, and hearing from them."""

from __future__ import annotations

import os
import select
import subprocess
import time
from pathlib import Path

from pentathlon_engines.match.launcher import BotCommand, Breach
from workers.sandbox.process import SandboxedBot

BOTS = Path(__file__).resolve().parents[1] / "bots"
PYTHON = ("{python}", "-s", "-S", "-B", "-u", "{bot}/main.py")
TIMEOUT_S = 240.0
"""The same as in `tests.patience`, which the copy for an ordinary user does not have."""
_TICK_S = 0.01


def bot_command(name: str) -> BotCommand:
    """Return the command of a Python bot in the folder of bots."""
    return BotCommand(folder=BOTS / name, argv=PYTHON)


def native_bot_command(name: str, folder: Path) -> BotCommand:
    """Compile a C bot of the folder of bots into another folder, once; return its command."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    command: list[str | Path] = ["cc", "-O1", "-o", folder / "bot", BOTS / name / "bot.c"]
    if not (folder / "bot").exists():
        subprocess.run(command, check=True, timeout=TIMEOUT_S)
    return BotCommand(folder=folder, argv=("./bot",), language="command")


def is_native(name: str) -> bool:
    """Return whether a bot of the folder of bots is written in C."""
    return (BOTS / name / "bot.c").exists()


def own_bot(folder: Path, source: str) -> BotCommand:
    """Write a bot into a folder and return its command."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "main.py").write_text(source)
    return BotCommand(folder=folder, argv=PYTHON)


def read_line(bot: SandboxedBot) -> str:
    """Return the next line of a bot; what there is when it ends before."""
    text = b""
    while not text.endswith(b"\n"):
        if not select.select([bot.stdout], [], [], TIMEOUT_S)[0]:
            raise TimeoutError(f"no line; it has written {text!r}")
        part = os.read(bot.stdout, 1)
        if not part:
            break
        text += part
    return text.decode()


def watch_breach(bot: SandboxedBot) -> Breach:
    """Watch a bot as the runner does until it breaks a limit."""
    deadline = time.monotonic() + TIMEOUT_S
    while (breach := bot.breach()) is None:
        if time.monotonic() > deadline:
            raise TimeoutError("it has broken no limit")
        select.select([], [], [], _TICK_S)
    return breach


def read_log(bot: SandboxedBot) -> str:
    """Return what a bot has written to its log until it ended."""
    text = b""
    while select.select([bot.stderr], [], [], TIMEOUT_S)[0]:
        part = os.read(bot.stderr, 65536)
        if not part:
            break
        text += part
    return text.decode()
