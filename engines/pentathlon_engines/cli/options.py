"""Arguments and options that many commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from pentathlon_engines.cli.completion import complete_bot

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Bots = Annotated[
    list[str],
    typer.Argument(
        metavar="BOT BOT...",
        help="A folder with a bot.toml, or a built-in name.",
        autocompletion=complete_bot,
    ),
]
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
