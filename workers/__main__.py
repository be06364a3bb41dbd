"""The command `pentathlon-worker`: starts a Celery worker by a site's address and a token."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from pentathlon.env import child_environment
from pentathlon.roles import worker_command


def main(arguments: Sequence[str] | None = None) -> None:
    """Become a Celery worker, with the token where no list of processes shows it."""
    environment, slots = _read_options(arguments)
    command = worker_command(slots=slots)
    os.execve(command[0], command, child_environment(**environment))  # noqa: S606  no shell


def _read_options(arguments: Sequence[str] | None) -> tuple[dict[str, str], int]:
    """Return the variables and slots of a command line; end the process if it makes no sense."""
    parser = argparse.ArgumentParser(
        prog="pentathlon-worker",
        description="Play matches for a Pentathlon site. Its staff make the token.",
    )
    parser.add_argument("--server", required=True, help="address, as https://example.org")
    secret = parser.add_mutually_exclusive_group(required=True)
    secret.add_argument(
        "--token", help="the worker token; others may see it for a moment: prefer a file"
    )
    secret.add_argument("--token-file", type=Path, help="a file that holds the worker token")
    parser.add_argument("--slots", type=int, default=os.cpu_count() or 1, help="matches at a time")
    parser.add_argument("--data", type=Path, help="folder for results that could not be sent")
    parser.add_argument(
        "--plain-http", action="store_true", help="allow http:// beyond this machine"
    )
    options = parser.parse_args(arguments)
    if options.slots < 1:
        parser.error("--slots must be at least 1")
    variables = {
        "PENTATHLON_SERVER": options.server,
        "PENTATHLON_WORKER_TOKEN": options.token,
        "PENTATHLON_WORKER_TOKEN_FILE": options.token_file and str(options.token_file.absolute()),
        "PENTATHLON_DATA": options.data and str(options.data.absolute()),
        "PENTATHLON_PLAIN_HTTP": "1" if options.plain_http else None,
    }
    return {name: value for name, value in variables.items() if value}, options.slots


if __name__ == "__main__":
    main()
