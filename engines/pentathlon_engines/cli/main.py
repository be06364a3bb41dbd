"""The `pentathlon` command.

Exit codes: 0 ok, 1 a check failed, 2 wrong use, 3 host, server or network, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final

import typer

from pentathlon_engines.cli.failure import HOST_OR_SERVER, INTERRUPTED, USAGE, CommandFailed
from pentathlon_engines.cli.output.streams import say
from pentathlon_engines.errors import BadManifest, EngineError
from pentathlon_engines.match.launcher import LaunchFailed
from pentathlon_engines.version import __version__

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "init": "init",
        "play": "play",
        "check": "check",
        "replay": "replay",
        "verify": "verify",
        "tournament": "tournament",
        "compare": "compare",
        "fork": "fork",
        "step": "step",
        "login": "login",
        "logout": "login",
        "whoami": "login",
        "submit": "submit",
        "upload": "upload",
        "bots": "lists",
        "matches": "lists",
        "leaderboard": "lists",
        "logs": "logs",
        "challenge": "challenge",
        "repro": "repro",
        "watch": "watch",
        "vectors": "vectors",
        "dataset": "dataset",
    }
)
"""For each command, in the order of the help, the module in `commands/` that has its function."""


_LISTING: Final[tuple[list[str], ...]] = ([], ["--help"], ["--version"])
_COMPLETING: Final = "_PENTATHLON_COMPLETE"
"""Set by shells that ask for completions, which come from the commands themselves."""


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        _make_app(sys.argv[1:2])()
    except CommandFailed as error:
        _fail(str(error), error.try_next, error.exit_code)
    except BadManifest as error:
        _fail(f"{error}.", "pentathlon init GAME", USAGE)
    except EngineError as error:
        _fail(f"{error}.", "pentathlon play --help", USAGE)
    except LaunchFailed as error:
        _fail(f"{error}.", "pentathlon check BOT", HOST_OR_SERVER)
    except KeyboardInterrupt:
        # While commands are imported: later Typer ends with the same code.
        sys.exit(INTERRUPTED)


def _make_app(first_word: Sequence[str]) -> typer.Typer:
    """Return the application, with only the command that is named: importing all takes longer."""
    app = typer.Typer(
        help="Write, test, submit and follow bots for the games of Pentathlon.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    # With a single command and no callback there would be no names of commands.
    app.callback()(_take_no_options)
    if first_word in _LISTING and _COMPLETING not in os.environ:
        for name in COMMANDS:
            app.command(name)(_summarize(name))
        return app
    for name in [name for name in COMMANDS if name in first_word] or COMMANDS:
        app.command(name)(_load(name))
    return app


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(__version__)
        raise typer.Exit


def _take_no_options(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Write, test, submit and follow bots for the games of Pentathlon."""


def _load(name: str) -> Callable[..., None]:
    module = import_module(f"pentathlon_engines.cli.commands.{COMMANDS[name]}")
    command: Callable[..., None] = getattr(module, name)
    return command


def _summarize(name: str) -> Callable[[], None]:
    """Return a function with the docstring of a command, for lists, without importing it."""
    path = Path(__file__).parent / "commands" / f"{COMMANDS[name]}.py"
    _, _, rest = path.read_text(encoding="utf-8").partition(f"\ndef {name}(")

    def listed() -> None:
        """Stand for the command."""

    listed.__doc__ = rest.split('"""', 2)[1]
    return listed


def _fail(message: str, try_next: str, exit_code: int) -> None:
    say(f"{message}\nTry: {try_next}")
    sys.exit(exit_code)
