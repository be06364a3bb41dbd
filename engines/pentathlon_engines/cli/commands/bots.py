"""`pentathlon bots`: the bots of a site."""

from __future__ import annotations

from typing import Annotated

import typer

from pentathlon_engines.cli.client.connection import Json, connect, connect_as_person, me
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.output.tables import print_table


def bots(
    *,
    everybody: Annotated[
        bool, typer.Option("--all", help="List the bots of all authors.")
    ] = False,
    owner: Annotated[str | None, typer.Option(help="Only bots of this author.")] = None,
    game: Annotated[str | None, typer.Option(help="Only bots that play this game.")] = None,
    most: Annotated[int, typer.Option(min=1, max=1000, help="List at most this many.")] = 50,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """List your bots, or those of others, newest first."""
    is_own = not everybody and owner is None
    server = connect_as_person(site) if is_own else connect(site)
    author = me(server) if is_own else owner
    found = server.rows("bots/", most=most, owner=author, game=game)
    if as_json:
        print_json(found)
        return
    if not found:
        say("There is no such bot yet. Next: pentathlon init GAME")
        return
    print_table(("bot", "author", "version", "games", "state"), [_bot_row(bot) for bot in found])


def _bot_row(bot: Json) -> tuple[str, ...]:
    latest = bot["latest_version"] or {"number": "", "games": [], "state": ""}
    games = ", ".join(latest["games"])
    return bot["name"], bot["owner"]["username"], str(latest["number"]), games, latest["state"]
