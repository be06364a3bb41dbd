"""Arguments and options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.manifest import FILE_NAME, built_in_bots

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
GameOptions = Annotated[str | None, typer.Option(help="Options of the game, as JSON.")]
BotLimits = Annotated[str | None, typer.Option(help="Limits per bot, as JSON.")]
Sandbox = Annotated[bool, typer.Option("--sandbox", help="Run bots in the sandbox.")]
Concurrency = Annotated[int, typer.Option(min=1, max=64, help="Play this many matches at a time.")]
SiteOption = Annotated[
    str | None,
    typer.Option(
        "--site", metavar="ADDRESS", help="The site to use. Default: the one you signed in to."
    ),
]
RecordSource = Annotated[
    str,
    typer.Argument(
        metavar="FILE|MATCH", help="A record, or a match of a site: its number or address."
    ),
]
RecordOption = Annotated[
    Path | None, typer.Option("--record", help="Write the record to this file.")
]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Show what bots write to standard error.")
]
Debug = Annotated[
    bool, typer.Option("--debug", help="Run your bot in this process, with nobody on a clock.")
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="BOT.NAME=VALUE", help="Set a parameter of a bot."),
]


def complete_game(incomplete: str) -> list[str]:
    """Return the games with this prefix."""
    return [key for key in GAMES if key.startswith(incomplete)]


def complete_bot(incomplete: str) -> list[str]:
    """Return the bots with this prefix: built-in names, and folders with a manifest."""
    around = Path(incomplete if incomplete.endswith("/") else Path(incomplete).parent)
    lead = "./" if incomplete.startswith("./") else ""
    folders = sorted(path.parent for path in around.glob(f"*/{FILE_NAME}"))
    names = [*built_in_bots(), *(f"{lead}{folder}" for folder in folders)]
    return [name for name in names if name.startswith(incomplete)]


Bots = Annotated[
    list[str],
    typer.Argument(
        metavar="BOT BOT...",
        help="A folder with a bot.toml, or a built-in name.",
        autocompletion=complete_bot,
    ),
]
