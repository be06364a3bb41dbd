"""`pentathlon watch`: follow a match or a bot in the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Annotated, Any, Final

import typer

from pentathlon_engines.cli.client.connection import (
    Json,
    connect,
    describe_match,
    find_bot_named,
    split_address,
)
from pentathlon_engines.cli.client.http_site import ServerEvent, Site
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.failure import CommandFailed, FieldMissing, SiteRefused
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json_line, print_text, say
from pentathlon_engines.cli.records import describe_outcome
from pentathlon_engines.contract.game import State
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.record.record import positions

_OVER: Final = ("done", "void")


def watch(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MATCH|BOT",
            help="A match: its number or address; or a bot, by its name or folder.",
        ),
    ],
    *,
    count: Annotated[
        int | None, typer.Option(min=1, help="For a bot: stop after this many matches.")
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(min=1, help="The maximum number of seconds; by default no limit."),
    ] = None,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Follow a match to its end and show the board, or follow a bot and report each match."""
    origin, number = split_address(what, "matches")
    server = connect(origin or site)
    patience = Patience(
        timeout or math.inf, what="The time is up.", try_next=f"pentathlon watch {what}"
    )
    screen = _Screen(as_json=as_json)
    if number is None:
        _watch_bot(server, what, patience, screen, count=count)
        return
    _watch_match(server, number, patience, screen)


def _watch_match(site: Site, number: int, patience: Patience, screen: _Screen) -> None:
    match = _follow(site, number, patience, screen)
    if screen.as_json:
        print_json_line({"event": "result", **match})
        return
    if match["state"] == "done":
        _show_end(site, number)
    print_text(describe_match(match))
    say(site.page(f"matches/{number}/"))


def _follow(site: Site, number: int, patience: Patience, screen: _Screen) -> Json:
    """Show a match until it ends, and return it."""
    seen = ""
    match: Json | None = None
    for _ in patience.looks():
        try:
            answer = site.get(f"matches/{number}/")
            is_over = answer["state"] in _OVER
            match = answer
            if is_over:
                screen.clear()
                return match
            screen.tell(_describe_progress(match), patience)
            # Without a stream, or with nothing to show, this loop ends at once and we poll again.
            for event in _events(site, number, view=screen.view, seen=seen):
                screen.show(event, match, patience)
                seen = event.id or seen
                if event.name == "end":
                    break
                patience.check()
        except CommandFailed as error:
            if match is None:  # a site that was never there is not restarting
                raise
            patience.forgive(error)
    raise AssertionError  # looks() ends with a failure


def _events(site: Site, number: int, *, view: str, seen: str) -> Iterator[ServerEvent]:
    """Yield the messages that the site streams; none if it refuses, so the caller has to poll."""
    try:
        yield from site.events(f"matches/{number}/events/", view=view, seen=seen)
    except SiteRefused:
        return


def _describe_progress(match: Json) -> str:
    if match["state"] == "running":
        return f"{describe_match(match)}, ply {match['ply']}"
    waiting = match["waiting"]
    return f"{describe_match(match)}: {waiting['sentence']}" if waiting else describe_match(match)


class _Screen:
    """The terminal output: the current board, drawn over the previous one, or line by line."""

    def __init__(self, *, as_json: bool) -> None:
        self.view = "position" if as_json else "text"
        self.as_json = as_json
        self._lines = 0
        self._shown = ""

    def tell(self, text: str, patience: Patience) -> None:
        """Show the state of a match, unless it is already shown."""
        if text != self._shown:
            patience.note_news()
            self._shown = text
            self._draw(text)

    def show(self, event: ServerEvent, match: Json, patience: Patience) -> None:
        """Show the messages of a stream."""
        if event.name == "plies":
            patience.note_news()
        if self.as_json:
            print_json_line({"event": event.name, **event.data})
        elif event.name == "plies":
            self._show_plies(event.data, match)

    def clear(self) -> None:
        """Erase the drawn board."""
        self._draw("")

    def _show_plies(self, data: Json, match: Json) -> None:
        head = f"{describe_match(match)}, ply {data['ply']}"
        if sys.stderr.isatty():
            used = ", ".join(
                f"seat {seat} {ms / 1000:.1f} s" for seat, ms in enumerate(data["cpu_ms"])
            )
            clock = f"CPU time of {data['limit_ms'] / 1000:g} s: {used}"
            self._draw(f"{head}\n{data['text']}\n{clock}")
            return
        if data["first"] == 0 and data["attempt"] > 1:
            say(f"Attempt {data['attempt']}: the match starts again.")
        for ply, (seat, text, _) in enumerate(data["events"], data["first"] + 1):
            say(f"ply {ply}, {'chance' if seat < 0 else f'seat {seat}'}: {text}")

    def _draw(self, text: str) -> None:
        if not sys.stderr.isatty():
            if text:
                say(text)
            return
        up = f"\x1b[{self._lines}A" if self._lines else ""
        self._lines = text.count("\n")
        sys.stderr.write(f"\r{up}\x1b[J{text}")
        sys.stderr.flush()


def _show_end(site: Site, number: int) -> None:
    """Show the last position; nothing while the record is sealed."""
    try:
        record: Any = site.get(f"replays/{number}/")  # Any: JSON, not verified
        state: State = list(positions(record))[-1]
        outcome = describe_outcome(record)
    except SiteRefused as error:
        say(str(error))
        return
    except FieldMissing:  # a KeyError, too
        raise
    except (BadRecord, LookupError, TypeError) as error:
        say(f"The record cannot be shown here: {error}. Try: pentathlon verify {number}")
        return
    print_text(f"{state}\n\n{outcome}")


def _watch_bot(
    site: Site, name: str, patience: Patience, screen: _Screen, *, count: int | None
) -> None:
    bot = find_bot_named(site, name)
    seen: set[int] | None = None
    shown = 0
    say(f"Following {bot['name']}; Ctrl-C ends it.")
    for _ in patience.looks():
        try:
            if seen is not None:
                _follow_running(site, bot, patience, screen)
            rows = site.rows("matches/", most=50, bot=bot["id"], state="done")
        except CommandFailed as error:
            patience.forgive(error)
            continue
        # Of the matches that ended before, show the last one, so that there is something to see.
        known = {row["id"] for row in rows[1:]} if seen is None else seen
        for match in reversed([row for row in rows if row["id"] not in known]):
            patience.note_news()
            if screen.as_json:
                print_json_line({"event": "result", **match})
            else:
                print_text(f"{match['id']}  {describe_match(match)}")
            shown += 1
            if shown == count:
                return
        seen = known | {row["id"] for row in rows}


def _follow_running(site: Site, bot: Json, patience: Patience, screen: _Screen) -> None:
    """Show a match that the bot plays now, to its end."""
    running = site.rows("matches/", most=1, bot=bot["id"], state="running")
    if running:
        _follow(site, running[0]["id"], patience, screen)
