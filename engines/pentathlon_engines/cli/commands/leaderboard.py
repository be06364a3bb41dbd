"""`pentathlon leaderboard`: who is best."""

from __future__ import annotations

from typing import Annotated

import typer

from pentathlon_engines.cli.client.connection import Json, connect
from pentathlon_engines.cli.options import AsJson, SiteOption, complete_game
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.output.tables import print_table


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
    print_table(("rank", "bot", "author", "strength", "95 %", "matches"), [*map(_ranked_row, rows)])


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
