"""`pentathlon replay`: step through a record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed
from pentathlon_engines.cli.output import print_json, say
from pentathlon_engines.cli.records import describe_outcome, read_record
from pentathlon_engines.contract.game import State
from pentathlon_engines.desk.replay_page import describe_event, replay_page
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.record import positions, verify_record
from pentathlon_engines.record.shape import Record

FORWARD = (" ", "n", "l", "\r", "\x1b[C", "\x1b[B")
BACK = ("p", "h", "\x7f", "\x1b[D", "\x1b[A")
FIRST = ("g", "0", "\x1b[H")
LAST = ("G", "$", "\x1b[F")
CLEAR = "\x1b[H\x1b[2J"
QUIT = ("q", "\x1b", "\x04")

RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="A record, written by play.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def replay(
    file: RecordFile,
    ply: Annotated[int | None, typer.Option(min=0, help="Show this position only.")] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="Write all positions as a page that stands alone."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Step through a record; without a terminal, print all its positions.

    Example: pentathlon replay match.json --html match.html
    """
    record = read_record(file)
    try:
        states = list(positions(record))
    except (BadRecord, KeyError, TypeError, IndexError) as error:
        raise CommandFailed(
            f"{file} cannot be replayed: {error}.",
            try_next=f"pentathlon verify {file}",
            exit_code=CHECK_FAILED,
        ) from error
    if ply is not None and ply >= len(states):
        raise CommandFailed(
            f"There is no ply {ply}: this record has 0 to {len(states) - 1}.",
            try_next=f"pentathlon replay {file} --ply {len(states) - 1}",
        )
    if html is not None:
        _write_page(html, record, states)
        return
    chosen = range(len(states)) if ply is None else (ply,)
    if as_json:
        print_json([_as_json(record, states[index], index) for index in chosen])
    elif ply is None and sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(record, states)
    else:
        typer.echo("\n\n".join(_draw(record, states[index], index) for index in chosen))


def _write_page(path: Path, record: Any, states: list[State]) -> None:  # Any: JSON
    """Write the page of a record that verifies: a page shows what a receipt promises."""
    try:
        verify_record(record)
    except BadRecord as error:
        raise CommandFailed(
            f"The record does not verify: {error}.",
            try_next="pentathlon verify FILE",
            exit_code=CHECK_FAILED,
        ) from error
    try:
        path.write_text(replay_page(record, states), encoding="utf-8")
    except OSError as error:
        raise CommandFailed(
            f"{path} cannot be written: {error.strerror}.",
            try_next="the same command with another --html",
            exit_code=HOST_OR_SERVER,
        ) from error
    say(f"Page written: {path}")


def _as_json(record: Record, state: State, ply: int) -> dict[str, object]:
    event = record["events"][ply - 1] if ply else None
    return {"ply": ply, "event": event, "position": state.to_json()}


def _draw(record: Record, state: State, ply: int) -> str:
    last = len(record["events"])
    lines = [f"ply {ply} of {last}: {_describe_event(record, ply)}", "", str(state)]
    if ply == last:
        lines += ["", f"outcome: {describe_outcome(record)}"]
    return "\n".join(lines)


def _describe_event(record: Record, ply: int) -> str:
    described = describe_event(record, ply)
    event = Event.of(record["events"][ply - 1]) if ply else None
    return described if event is None or event.is_chance else f"{described}, {event.cpu_ms} ms"


def _step_through(record: Record, states: list[State]) -> None:
    ply, last = 0, len(states) - 1
    key = ""
    while key not in QUIT:
        typer.echo(CLEAR + _draw(record, states[ply], ply))
        typer.echo("\nforward: space or right   back: left   ends: g G   quit: q")
        key = typer.getchar()
        ply = _next_ply(key, ply, last=last)


def _next_ply(key: str, ply: int, *, last: int) -> int:
    if key in FIRST:
        return 0
    if key in LAST:
        return last
    step = (key in FORWARD) - (key in BACK)
    return min(max(ply + step, 0), last)
