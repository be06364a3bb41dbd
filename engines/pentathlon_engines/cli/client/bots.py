"""Finds bots, versions and matches of a site by the names that a person types."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.manifest import manifest_path, read_manifest

Json = dict[str, Any]  # Any: JSON

_WITH_NUMBER: Final = re.compile(r"(.+?)(?:@| v)(\d{1,9})")


def me(site: Site) -> str:
    """Return the name of the token's owner."""
    name: str = site.get("tokens/current/")["username"]
    return name


def find_bot_named(site: Site, name: str) -> Json:
    """Return the bot of this name, whoever owns it; names are unique on a site.

    The folder of a bot stands for the name in its bot.toml, as in commands for the desk.
    """
    if manifest_path(Path(name)).is_file():
        name = read_manifest(Path(name)).name
    found = site.rows("bots/", most=1, name=name)
    if not found:
        raise CommandFailed(
            f"There is no bot {name!r} on {site.origin}.", try_next="pentathlon bots --all"
        )
    bot: Json = found[0]
    return bot


def find_version(site: Site, name: str) -> Json:
    """Return the version with this name: `bot`, its newest one, or `bot@3`."""
    with_number = _WITH_NUMBER.fullmatch(name)
    bot = find_bot_named(site, with_number[1] if with_number else name)
    if with_number is None:
        version: Json | None = bot["latest_version"]
    else:
        number = int(with_number[2])
        rows = site.rows("versions/", most=1000, bot=bot["id"])
        version = next((row for row in rows if row["number"] == number), None)
    if version is None:
        raise CommandFailed(
            f"{bot['name']} has no such version.", try_next=f"pentathlon logs {bot['name']}"
        )
    return version


def describe_match(match: Json) -> str:
    """Return the players and the result of a match in one line."""
    seats = match["seats"]
    if match["state"] != "done":
        names = " – ".join(seat["version"]["label"] for seat in seats)
        return f"{match['game']}: {names}, {match['state']}"
    ordered = sorted(seats, key=lambda seat: (seat["rank"], seat["seat"]))
    places = ", ".join(f"{seat['rank'] + 1}. {seat['version']['label']}" for seat in ordered)
    return f"{match['game']}: {places} ({match['outcome_reason']})"
