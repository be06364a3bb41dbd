"""Lets a bot write its scratch folder full of promises on a host whose disk gets full meanwhile.

It runs as a worker does, with a small disk of its own for temporary files.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from pentathlon_engines.match.launcher import BotCommand, LaunchFailed, SandboxLevel, Usage
from pentathlon_engines.match.limits import Limits
from workers.sandbox.errors import HostDiskFull
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot

LIMITS = Limits(scratch_mb=2)
PATIENCE_S = 240.0
WRITER = """\
import os, sys
sys.stdin.readline()
with open(os.environ["TMPDIR"] + "/notes", "wb") as notes:
    notes.write(bytes(1 << 20))
sys.exit(3)
"""


def main() -> None:
    """Start the bot, fill the disk, tell the bot to write, and try to start another."""
    disk = Path(tempfile.gettempdir())
    # Whatever goes wrong, we must not fill the disk of the machine.
    assert os.path.ismount(disk), f"{disk} is not a disk of its own"
    launcher = SandboxLauncher(SandboxLevel(sys.argv[1]))
    folder = launcher.staging.new_folder()
    folder.chmod(0o755)
    (folder / "main.py").write_text(WRITER)
    (folder / "main.py").chmod(0o644)
    command = BotCommand(folder=folder, argv=("{python}", "{bot}/main.py"))
    bot = launcher.start(command, seat=0, limits=LIMITS)
    fill(disk / "ballast")
    found = {"running": judged(bot), "next": started(launcher, command)}
    (disk / "ballast").unlink()
    found["afterwards"] = judged(launcher.start(command, seat=0, limits=LIMITS))
    launcher.close()
    json.dump(found, sys.stdout)


def judged(bot: SandboxedBot) -> str:
    """Let the bot write, and say what is made of its end."""
    os.write(bot.stdin, b"\n")
    bot.wait(PATIENCE_S)
    usage: Usage = bot.stop()
    try:
        breach = bot.verdict(usage)
    except HostDiskFull as error:
        return error.code
    return str(breach.kind) if breach else f"status {usage.exit_status}"


def started(launcher: SandboxLauncher, command: BotCommand) -> str:
    """Say what becomes of a bot that is started now."""
    try:
        return judged(launcher.start(command, seat=0, limits=LIMITS))
    except LaunchFailed as error:
        return error.code


def fill(path: Path) -> None:
    """Write until there is no room."""
    with path.open("wb", buffering=0) as ballast:
        try:
            while ballast.write(bytes(1 << 16)):
                pass
        except OSError:
            return


if __name__ == "__main__":
    main()
