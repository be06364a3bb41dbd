"""`pentathlon challenge`: play your bot against another one at once, unrated."""

from typing import Annotated

import typer

from pentathlon_engines.cli.client.connection import (
    Json,
    connect_as_person,
    find_bot_named,
    find_version,
)
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, print_text, say

_RUNNING = "running"


def challenge(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="Your bot, by name, folder or mine@3.")
    ],
    opponent: Annotated[
        str, typer.Argument(metavar="OPPONENT", help="A public bot, or a version of your own.")
    ],
    *,
    game: Annotated[str | None, typer.Option(help="The game, if the bots share several.")] = None,
    blocks: Annotated[
        int | None,
        typer.Option(min=1, help="The number of seeds, each played in balanced seat orders."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait for the score.")] = False,
    timeout: Annotated[
        float, typer.Option(min=1, help="The maximum number of seconds to wait.")
    ] = 600,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Play your bot against another one at once, unrated."""
    server = connect_as_person(site)
    mine = find_version(server, bot)
    payload: Json = {"version": mine["id"], **_opponent(server, mine, opponent)}
    payload |= {name: value for name, value in (("game", game), ("blocks", blocks)) if value}
    made = server.post("challenges/", payload)
    page = server.page(f"challenges/{made['id']}/")
    say(f"{made['version']['label']} meets {made['opponent']['label']}: {page}")
    if wait:
        made = _await_score(server, made, Patience(timeout, **_out_of_time(page)))
    if as_json:
        print_json({**made, "url": page})
        return
    print_text(_describe(made) if wait else page)


def _opponent(site: Site, mine: Json, name: str) -> Json:
    """Return the opponent: a version of the user's own bots, or another author's newest one."""
    other = find_version(site, name)
    if other["bot"]["owner"]["id"] == mine["bot"]["owner"]["id"]:
        return {"against": other["id"]}
    return {"bot": find_bot_named(site, other["bot"]["name"])["id"]}


def _await_score(site: Site, asked: Json, patience: Patience) -> Json:
    shown = -1
    address = f"challenges/{asked['id']}/"
    made: Json
    for made in patience.answers(lambda: site.get(address)):
        if made["done"] != shown:
            shown = made["done"]
            patience.note_news()
            say(f"{shown} of {made['matches']} matches played")
        if made["state"] != _RUNNING:
            return made
    raise AssertionError  # answers() ends with a failure


def _describe(made: Json) -> str:
    score = made["score"]
    if score is None:
        return f"{made['version']['label']} – {made['opponent']['label']}: no block was completed."
    return (
        f"{made['version']['label']} – {made['opponent']['label']}: {score['points']:g} of "
        f"{score['matches']} points, {score['share']:.0%} ({score['low']:.0%} to "
        f"{score['high']:.0%})"
    )


def _out_of_time(page: str) -> dict[str, str]:
    return {"what": "The challenge is not over yet. It continues without you.", "try_next": page}
