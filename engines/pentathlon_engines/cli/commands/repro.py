"""`pentathlon repro`: fetch one of your matches and send your bot the same requests again."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from pentathlon_engines.cli.arguments import find_launcher
from pentathlon_engines.cli.client.connection import connect_as_person, me, split_address
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed, SiteRefused
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import say
from pentathlon_engines.cli.rerun import play_bundle

_SEALED = "sealed"


def repro(
    match: Annotated[
        str, typer.Argument(metavar="MATCH", help="One of your matches: its number or address.")
    ],
    bot: Annotated[Path, typer.Argument(metavar="FOLDER", help="Your bot.")] = Path(),
    *,
    seat: Annotated[int | None, typer.Option(min=0, help="Your seat, if you had several.")] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep the bundle in this file.")] = None,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Run bots in the sandbox.")] = False,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Replay one of your matches with your bot; exit with 0 if nothing differs, else with 1."""
    origin, number = split_address(match, "matches")
    if number is None:
        raise CommandFailed(
            f"{match!r} is not a match: give its number or the address of its page.",
            try_next="pentathlon matches",
        )
    launcher = find_launcher(sandbox=sandbox)
    server = connect_as_person(origin or site)
    chosen = _own_seat(server, number) if seat is None else seat
    data = _fetch(server, number, chosen)
    with TemporaryDirectory(prefix="pentathlon-") as folder:
        path = keep or Path(folder) / f"match-{number}-seat-{chosen}.zip"
        path.write_bytes(data)
        if keep is not None:
            say(f"Bundle written: pentathlon play {keep} {bot}")
        play_bundle(path, [str(bot)], launcher=launcher, on_tick=None, as_json=as_json)


def _own_seat(site: Site, number: int) -> int:
    name = me(site)
    seats = site.get(f"matches/{number}/")["seats"]
    own = [each for each in seats if each["version"]["bot"]["owner"]["username"] == name]
    if not own:
        raise CommandFailed(
            f"None of your bots played match {number}.", try_next="pentathlon matches"
        )
    # If the user has several seats, the one with a fault is the interesting one.
    guilty = [each for each in own if each["fault"]]
    chosen: int = (guilty or own)[0]["seat"]
    return chosen


def _fetch(site: Site, number: int, seat: int) -> bytes:
    try:
        return site.download(f"matches/{number}/seats/{seat}/bundle.zip")
    except SiteRefused as error:
        if error.refusal != _SEALED:
            raise
        raise CommandFailed(
            f"The seed of match {number} is sealed until the last match of its block is done.",
            try_next=f"pentathlon repro {number} a little later",
            exit_code=CHECK_FAILED,
        ) from error
