"""`pentathlon logs`: show your bot's output, and why it lost."""

from typing import Annotated

import typer

from pentathlon_engines.cli.client.connection import (
    Json,
    connect_as_person,
    find_version,
    split_address,
)
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, print_text, say
from pentathlon_engines.match.traces import printable


def logs(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MATCH|BOT",
            help="A match: its number or address; or a bot, by name, folder or mine@3.",
        ),
    ],
    *,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Show your bot's output in a match and why it lost, or the output of its build and checks."""
    origin, number = split_address(what, "matches")
    server = connect_as_person(origin or site)
    if number is None:
        _show_version(server, what, as_json=as_json)
        return
    seats = server.get(f"matches/{number}/logs/")
    if as_json:
        print_json(seats)
        return
    for seat in seats:
        _show_seat(server, number, seat)


def _show_version(site: Site, name: str, *, as_json: bool) -> None:
    version = find_version(site, name)
    log = site.get(f"versions/{version['id']}/log/")
    if as_json:
        print_json(log)
        return
    say(f"{version['label']} ({log['state']}) {log['state_reason']}".rstrip())
    for title, text in (("build", log["build_log"]), ("checks", log["validation_log"])):
        if text:
            say(f"--- {title}")
            print_text(printable(text.rstrip("\n")))
    if not (log["build_log"] or log["validation_log"]):
        say("It wrote nothing to standard error.")


def _show_seat(site: Site, number: int, seat: Json) -> None:
    text = site.download(f"matches/{number}/seats/{seat['seat']}/log.txt").decode()
    print_text(printable(text.rstrip("\n")))
    if seat["is_fault"]:
        say(f"Next: pentathlon repro {number} FOLDER --seat {seat['seat']}")
