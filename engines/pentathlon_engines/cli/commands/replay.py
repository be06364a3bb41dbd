"""`pentathlon replay`: step through a record."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed
from pentathlon_engines.cli.output.images import (
    CLEAR,
    BoardOption,
    BoardStyle,
    ImageScreen,
    find_screen,
)
from pentathlon_engines.cli.output.stepper import HELP, Stepper, split_keys
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.records import describe_outcome, read_record
from pentathlon_engines.contract.game import State
from pentathlon_engines.desk.replay_page import describe_event, replay_page
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.commentary import tell_outcome
from pentathlon_engines.record.record import positions, verify_record
from pentathlon_engines.record.shape import Record, check_shape

_HELP_LINES = HELP.count("\n") + 4

RecordFile = Annotated[Path, typer.Argument(metavar="FILE", help="A record written by `play`.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def replay(
    file: RecordFile,
    ply: Annotated[int | None, typer.Option(min=0, help="Show this position only.")] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="Write all positions as one self-contained page."),
    ] = None,
    board: BoardOption = BoardStyle.AUTO,
    as_json: AsJson = False,
) -> None:
    """Step through a record; without a terminal, print all its positions.

    Keys: left and right by ply, up and down by turn, [ and ] by turn of the same seat, { and } by
    round, g and G to the ends, a number and Enter to that ply, q quits.

    Example: pentathlon replay match.json --html match.html
    """
    record = read_record(file)
    try:
        states = list(positions(check_shape(record)))
    except BadRecord as error:
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
        return
    screen = find_screen(board)
    if ply is not None:
        typer.echo(_draw(record, states, ply, screen), nl=False)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(record, states, screen)
    else:
        typer.echo("\n".join(_draw(record, states, index) for index in chosen), nl=False)


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


def _draw(
    record: Record,
    states: list[State],
    ply: int,
    screen: ImageScreen | None = None,
    *,
    below: int = 0,
) -> str:
    """Return a position as text, or as an image on a screen, with room for `below` lines."""
    head, end = _head(record, states, ply), _end(record, states, ply)
    if screen is None:
        board = f"\n{states[ply]}\n" + ("\n" if end else "")
    else:
        lines = below + len(end) + _lines_of(head)
        board = screen.draw(states[ply].svg(), lines=lines)
    return f"{head}\n{board}" + "".join(f"{line}\n" for line in end)


def _head(record: Record, states: list[State], ply: int) -> str:
    return f"ply {ply} of {len(record['events'])}: {_describe_event(record, states, ply)}"


def _end(record: Record, states: list[State], ply: int) -> list[str]:
    if ply < len(record["events"]):
        return []
    return [tell_outcome(record, states[ply]), f"outcome: {describe_outcome(record)}"]


def _lines_of(text: str) -> int:
    """Return how many lines of the terminal a long line takes, plus one to spare."""
    return len(text) // shutil.get_terminal_size().columns + 2


def _describe_event(record: Record, states: list[State], ply: int) -> str:
    described = describe_event(record, states, ply)
    event = Event.of(record["events"][ply - 1]) if ply else None
    return described if event is None or event.is_chance else f"{described}, {event.cpu_ms} ms"


def _step_through(record: Record, states: list[State], screen: ImageScreen | None) -> None:
    stepper = Stepper(record["events"])
    while not stepper.is_over:
        position = _draw(record, states, stepper.ply, screen, below=_HELP_LINES)
        typer.echo(f"{CLEAR}{position}\n{HELP}")
        if stepper.number:
            typer.echo(f"to ply {stepper.number}: Enter goes there")
        try:
            typed = typer.getchar()
        except EOFError:
            return
        for key in split_keys(typed):
            stepper.press(key)
