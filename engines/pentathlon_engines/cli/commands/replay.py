"""`pentathlon replay`: step through a record."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed, cannot_write
from pentathlon_engines.cli.options import AsJson, RecordSource, SiteOption
from pentathlon_engines.cli.output.stepper import CLEAR, HELP, Stepper, split_keys
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.cli.records import describe_outcome, find_record, write_record_file
from pentathlon_engines.contract.game import State
from pentathlon_engines.desk.replay_page import describe_event, replay_page
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.events import Event
from pentathlon_engines.record.commentary import tell_outcome
from pentathlon_engines.record.record import positions, verify_record
from pentathlon_engines.record.shape import Record, check_shape


def replay(
    match: RecordSource,
    *,
    ply: Annotated[int | None, typer.Option(min=0, help="Show this position only.")] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="Write all positions as one self-contained page."),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep the record in this file.")
    ] = None,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Step through a record; without a terminal, print all its positions.

    Keys: left and right by ply, up and down by turn, [ and ] by turn of the same seat, { and } by
    round, g and G to the ends, a number and Enter to that ply, q quits.

    Example: pentathlon replay 126 --save match.json
    """
    record = find_record(match, site)
    if save is not None:
        write_record_file(save, record, option="--save")
        say(f"Record written: {save}")
        return
    try:
        states = list(positions(check_shape(record)))
    except BadRecord as error:
        raise CommandFailed(
            f"{match} cannot be replayed: {error}.",
            try_next=f"pentathlon verify {match}",
            exit_code=CHECK_FAILED,
        ) from error
    if ply is not None and ply >= len(states):
        raise CommandFailed(
            f"There is no ply {ply}: this record has 0 to {len(states) - 1}.",
            try_next=f"pentathlon replay {match} --ply {len(states) - 1}",
        )
    if html is not None:
        _write_page(html, record, states)
        return
    chosen = range(len(states)) if ply is None else (ply,)
    if as_json:
        print_json([_as_json(record, states[index], index) for index in chosen])
        return
    if ply is None and sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(record, states)
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
        again = "the same command with another --html"
        raise cannot_write(path, error, try_next=again) from error
    say(f"Page written: {path}")


def _as_json(record: Record, state: State, ply: int) -> dict[str, object]:
    event = record["events"][ply - 1] if ply else None
    return {"ply": ply, "event": event, "position": state.to_json()}


def _draw(record: Record, states: list[State], ply: int) -> str:
    """Return a position as text, and after the last ply the outcome."""
    last = len(record["events"])
    drawn = f"ply {ply} of {last}: {_describe_event(record, states, ply)}\n\n{states[ply]}\n"
    if ply < last:
        return drawn
    said = tell_outcome(record, states[ply])
    return f"{drawn}\n{said}\noutcome: {describe_outcome(record)}\n"


def _describe_event(record: Record, states: list[State], ply: int) -> str:
    described = describe_event(record, states, ply)
    event = Event.of(record["events"][ply - 1]) if ply else None
    return described if event is None or event.is_chance else f"{described}, {event.cpu_ms} ms"


def _step_through(record: Record, states: list[State]) -> None:
    stepper = Stepper(record["events"])
    while not stepper.is_over:
        typer.echo(f"{CLEAR}{_draw(record, states, stepper.ply)}\n{HELP}")
        if stepper.number:
            typer.echo(f"to ply {stepper.number}: Enter goes there")
        try:
            typed = typer.getchar()
        except EOFError:
            return
        for key in split_keys(typed):
            stepper.press(key)
