"""`pentathlon matches`: list the matches of bots."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from pentathlon_engines.cli.client.connection import (
    Json,
    connect,
    connect_as_person,
    describe_match,
    find_bot_named,
    me,
)
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.output.tables import print_table

_MOST_BOTS: Final = 20


def matches(
    bot: Annotated[
        str | None,
        typer.Argument(metavar="BOT", help="A bot, by name or folder. Default: all of yours."),
    ] = None,
    *,
    state: Annotated[str | None, typer.Option(help="pending, running, done or void.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="ladder, tournament, challenge or validation.")
    ] = None,
    game: Annotated[str | None, typer.Option(help="Only matches of this game.")] = None,
    most: Annotated[int, typer.Option(min=1, max=1000, help="List at most this many.")] = 20,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """List the latest matches of a bot, or of all of yours."""
    server = connect_as_person(site) if bot is None else connect(site)
    query = {"state": state, "kind": kind, "game": game}
    found: dict[int, Json] = {}
    for number in _bots(server, bot):
        rows = server.rows("matches/", most=most, bot=number, **query)
        found.update({row["id"]: row for row in rows})
    newest = [found[number] for number in sorted(found, reverse=True)[:most]]
    if as_json:
        print_json(newest)
        return
    if not newest:
        say("There is no such match yet. Next: pentathlon submit FOLDER --wait")
        return
    rows = [
        (str(each["id"]), each["kind"], each["state"], describe_match(each)) for each in newest
    ]
    print_table(("match", "kind", "state", "result"), rows)


def _bots(site: Site, name: str | None) -> list[int]:
    if name is not None:
        return [find_bot_named(site, name)["id"]]
    return [bot["id"] for bot in site.rows("bots/", most=_MOST_BOTS, owner=me(site))]
