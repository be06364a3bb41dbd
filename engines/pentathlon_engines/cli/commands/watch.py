"""`pentathlon watch`: follow a match or a bot in the terminal."""

from __future__ import annotations

import math
import sys
from typing import Annotated, Any, Final

import typer

from pentathlon_engines.cli.client.bots import Json, describe_match, find_bot_named
from pentathlon_engines.cli.client.connection import connect, split_address
from pentathlon_engines.cli.client.http_site import Site, SiteRefused
from pentathlon_engines.cli.client.waiting import Patience
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output import print_json_line, print_text, say
from pentathlon_engines.cli.records import describe_outcome
from pentathlon_engines.contract.game import State
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.record.record import positions

_OVER: Final = ("done", "void")
_CLEAR_LINE: Final = "\r\x1b[K"


def watch(
    what: Annotated[
        str,
        typer.Argument(metavar="MATCH|BOT", help="A match: its number or address; or a bot."),
    ],
    *,
    count: Annotated[
        int | None, typer.Option(min=1, help="Of a bot: stop after so many matches.")
    ] = None,
    timeout: Annotated[float | None, typer.Option(min=1, help="Seconds; else no limit.")] = None,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Follow a match to its end and show the board, or a bot and tell of each match it ends."""
    origin, number = split_address(what, "matches")
    server = connect(origin or site)
    patience = Patience(
        timeout or math.inf, what="The time is up.", try_next=f"pentathlon watch {what}"
    )
    if number is None:
        _watch_bot(server, what, patience, count=count, as_json=as_json)
        return
    _watch_match(server, number, patience, as_json=as_json)


def _watch_match(site: Site, number: int, patience: Patience, *, as_json: bool) -> None:
    match = _await_end(site, number, patience)
    if as_json:
        print_json_line(match)
        return
    board = _last_board(site, number) if match["state"] == "done" else ""
    if board:
        print_text(board)
    print_text(describe_match(match))
    say(site.page(f"matches/{number}/"))


def _await_end(site: Site, number: int, patience: Patience) -> Json:
    shown = ""
    for _ in patience.looks():
        try:
            match: Json = site.get(f"matches/{number}/")
        except CommandFailed as error:
            patience.forgive(error)
            continue
        if match["state"] in _OVER:
            _show_progress("")
            return match
        now = _describe_progress(match)
        if now != shown:
            shown = now
            patience.note_news()
            _show_progress(now)
    raise AssertionError  # looks() ends with a failure


def _describe_progress(match: Json) -> str:
    if match["state"] == "running":
        return f"{describe_match(match)}, ply {match['ply']}"
    waiting = match["waiting"]
    return f"{describe_match(match)}: {waiting['sentence']}" if waiting else describe_match(match)


def _show_progress(text: str) -> None:
    """Show one line that the next one replaces; without a terminal, one after the other."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{_CLEAR_LINE}{text}")
        sys.stderr.flush()
    elif text:
        say(text)


def _last_board(site: Site, number: int) -> str:
    """Return the last position as text; nothing while the record is sealed."""
    try:
        record: Any = site.get(f"replays/{number}/")  # Any: JSON, not verified
        state: State = list(positions(record))[-1]
        return f"{state}\n\n{describe_outcome(record)}"
    except SiteRefused as error:
        say(str(error))
    except (BadRecord, LookupError, TypeError) as error:
        say(f"The record cannot be shown here: {error}. Try: pentathlon verify {number}")
    return ""


def _watch_bot(
    site: Site, name: str, patience: Patience, *, count: int | None, as_json: bool
) -> None:
    bot = find_bot_named(site, name)
    seen: set[int] | None = None
    told = 0
    say(f"Following {bot['name']}; Ctrl-C ends it.")
    for _ in patience.looks():
        try:
            rows = site.rows("matches/", most=50, bot=bot["id"], state="done")
        except CommandFailed as error:
            patience.forgive(error)
            continue
        # Of what was over before, the last match is told, so that something is to be seen.
        known = {row["id"] for row in rows[1:]} if seen is None else seen
        for match in reversed([row for row in rows if row["id"] not in known]):
            patience.note_news()
            if as_json:
                print_json_line(match)
            else:
                print_text(f"{match['id']}  {describe_match(match)}")
            told += 1
            if told == count:
                return
        seen = known | {row["id"] for row in rows}
