"""A worker that waits to be killed; prints its bot's process id and its staging folder."""

from __future__ import annotations

import json
import os
import signal
import sys

from pentathlon_engines.match.limits import Limits
from tests.workers.sandbox.bots import bot_command, read_line
from tests.workers.sandbox.ways import Way


def main() -> None:
    """Start a bot in the way that the command line names, and pause it if that says so."""
    launcher = Way(sys.argv[1]).launcher()
    bot = launcher.start(bot_command("outlives"), seat=0, limits=Limits())
    os.write(bot.stdin, b"\n")
    read_line(bot)
    if sys.argv[2] == "paused":
        bot.pause()
    sys.stdout.write(json.dumps({"pid": bot.pid, "files": str(launcher.staging.folder)}) + "\n")
    sys.stdout.flush()
    signal.pause()


if __name__ == "__main__":
    main()
