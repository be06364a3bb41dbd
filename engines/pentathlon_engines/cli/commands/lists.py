"""The commands that list what a site has: `bots`, `matches`, `leaderboard`."""

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
from pentathlon_engines.cli.options import AsJson, SiteOption, complete_game
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.output.tables import print_table

_MOST_BOTS: Final = 20


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


def leaderboard(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME",
            help="A game. If omitted, list all tables.",
            autocompletion=complete_game,
        ),
    ] = None,
    *,
    scope: Annotated[
        str | None, typer.Option(help="The digest of another setting, from the list.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=1000, help="List at most this many.")] = 20,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Show the live table of a game, best first."""
    server = connect(site)
    if game is None:
        rows = server.all_rows("leaderboards/")
    else:
        rows = server.rows(f"leaderboards/{game}/", most=most, scope=scope)
    if as_json:
        print_json(rows)
        return
    if game is None:
        tables = [(row["game"], row["title"], row["scope"], str(row["matches"])) for row in rows]
        print_table(("game", "table", "scope", "matches"), tables)
        return
    if not rows:
        say(f"Nobody has played {game} here yet. Next: pentathlon init {game}")
        return
    print_table(
        ("rank", "bot", "author", "strength", "95 %", "matches"), [*map(_ranked_row, rows)]
    )


def _ranked_row(rating: Json) -> tuple[str, ...]:
    version = rating["version"]
    low, high = rating["interval"]
    mark = "?" if rating["provisional"] else ""
    return (
        str(rating["rank"]),
        version["label"],
        version["bot"]["owner"]["username"],
        f"{rating['strength']:.1f}{mark}",
        f"{low:.1f} to {high:.1f}",
        str(rating["matches"]),
    )
