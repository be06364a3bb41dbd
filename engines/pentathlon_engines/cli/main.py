"""The `pentathlon` command.

Exit codes: 0 ok, 1 a check failed, 2 wrong use, 3 host, server or network, 130 interrupted.
"""

from __future__ import annotations

import sys

import typer

from pentathlon_engines.cli.check import check
from pentathlon_engines.cli.failure import HOST_OR_SERVER, USAGE, CommandFailed
from pentathlon_engines.cli.init import init
from pentathlon_engines.cli.output import say
from pentathlon_engines.cli.play import play
from pentathlon_engines.cli.record import replay, verify
from pentathlon_engines.cli.tournament import tournament
from pentathlon_engines.errors import BadManifest, EngineError
from pentathlon_engines.match.launcher import LaunchFailed

app = typer.Typer(
    help="Write, try and check bots for the games of Pentathlon.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for _command in (init, play, check, replay, verify, tournament):
    app.command()(_command)


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        app()
    except CommandFailed as error:
        _fail(str(error), error.try_next, error.exit_code)
    except BadManifest as error:
        _fail(f"{error}.", "pentathlon init GAME", USAGE)
    except EngineError as error:
        _fail(f"{error}.", "pentathlon play --help", USAGE)
    except LaunchFailed as error:
        _fail(f"{error}.", "pentathlon check BOT", HOST_OR_SERVER)


def _fail(message: str, try_next: str, exit_code: int) -> None:
    say(f"{message}\nTry: {try_next}")
    sys.exit(exit_code)
