"""`pentathlon submit`: from a folder to the first rated match."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from pentathlon_engines.cli.bot_name import rename_bot
from pentathlon_engines.cli.client.bots import Json
from pentathlon_engines.cli.client.connection import connect_as_person
from pentathlon_engines.cli.client.submission import (
    Follower,
    out_of_time,
    pack,
    upload_version,
)
from pentathlon_engines.cli.client.waiting import Patience
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output import print_json, print_text, say


def submit(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The bot, or a zip of it.")
    ] = Path(),
    *,
    wait: Annotated[
        bool, typer.Option("--wait", help="Follow build, checks and the first rated match.")
    ] = False,
    no_activate: Annotated[
        bool,
        typer.Option("--no-activate", help="Keep it as a candidate: it joins no ladder."),
    ] = False,
    name: Annotated[str | None, typer.Option(help="Give it this name, in bot.toml too.")] = None,
    notes: Annotated[str, typer.Option(help="What changed; everybody reads it.")] = "",
    timeout: Annotated[float, typer.Option(min=1, help="Seconds to wait for at most.")] = 600,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Upload a bot, or the next version of it; with --wait follow it to its first rated match.

    With --no-activate the version stays a candidate: it does not take the place of the version
    that plays for the bot. To let it play, submit the same files again without --no-activate.
    Names are unique on a site. If yours is taken, the site proposes one that is free.

    Example: pentathlon submit ./my-bot --wait
    """
    began = time.monotonic()
    if name is not None:
        rename_bot(folder, name)
    archive = pack(folder)
    server = connect_as_person(site)
    server.kit()
    version = upload_version(server, archive, source=folder, notes=notes, candidate=no_activate)
    told: Json = {
        "bot": version["bot"]["name"],
        "version": version["number"],
        "state": version["state"],
        "candidate": version.get("is_candidate", False),
        "content_hash": version["content_hash"],
        "url": server.page(f"versions/{version['id']}/"),
    }
    if wait:
        follow = Follower(server, version, Patience(timeout, **out_of_time(version)))
        told["state"] = follow.to_its_verdict()["state"]
        told["may_play_s"] = round(time.monotonic() - began, 1)
        plays = archive.manifest.ladder and not told["candidate"]
        match = follow.to_its_first_match() if plays else None
        told["first_match"] = match and server.page(f"matches/{match['id']}/")
        told["first_match_s"] = match and round(time.monotonic() - began, 1)
    if told["candidate"]:
        say(f"It is a candidate; pentathlon submit {folder} lets it play for {told['bot']}.")
    if as_json:
        print_json(told)
        return
    print_text(told.get("first_match") or told["url"])
    if not wait:
        say(f"Next: pentathlon watch {told['bot']}")
