"""`pentathlon replay` and `pentathlon verify`: show and verify records."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.output import print_json
from pentathlon_engines.cli.proof import verify_tournament
from pentathlon_engines.contract.game import State
from pentathlon_engines.contract.info import ordinal
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


def verify(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A record, written by play.")
    ] = None,
    *,
    tournament: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="Check a tournament instead.")
    ] = None,
    commitment: Annotated[
        str | None, typer.Option(help="The commitment that you noted before the start.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="A folder with records of the tournament to verify, too.")
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Download and verify all records of the tournament.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify a record by playing it again, or check how a tournament was drawn."""
    if (file is None) == (tournament is None):
        raise CommandFailed(
            "Name a record, or a tournament with --tournament.",
            try_next="pentathlon verify match.json",
        )
    if tournament is not None:
        verify_tournament(
            tournament, records=records, fetch=fetch, noted=commitment, as_json=as_json
        )
    elif file is not None:
        _verify_record(file, as_json=as_json)


def _verify_record(file: Path, *, as_json: bool) -> None:
    record = read_record(file)
    try:
        state = verify_record(record)
    except BadRecord as error:
        if as_json:
            print_json({"valid": False, "code": error.code, "detail": str(error)})
            raise typer.Exit(CHECK_FAILED) from error
        raise CommandFailed(
            f"{file} does not verify: {error}.",
            try_next=f"pentathlon replay {file}",
            exit_code=CHECK_FAILED,
        ) from error
    summary = {name: record[name] for name in ("game", "seed", "bots", "outcome", "chain")}
    if as_json:
        print_json({"valid": True, **summary, "plies": len(record["events"])})
        return
    typer.echo(f"{file} verifies: {len(record['events'])} plies of {state.game.info.title}")
    typer.echo(f"outcome: {describe_outcome(record)}")
    typer.echo(f"chain: {record['chain']}")


def replay(
    file: RecordFile,
    ply: Annotated[int | None, typer.Option(min=0, help="Show this position only.")] = None,
    as_json: AsJson = False,
) -> None:
    """Step through a record; without a terminal, print all its positions."""
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
    chosen = range(len(states)) if ply is None else (ply,)
    if as_json:
        print_json([_as_json(record, states[index], index) for index in chosen])
    elif ply is None and sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(record, states)
    else:
        typer.echo("\n\n".join(_draw(record, states[index], index) for index in chosen))


def read_record(path: Path) -> Any:  # Any: JSON, not verified yet
    """Return the JSON object in a file."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise CommandFailed(
            f"{path} cannot be read as a record: {error}.",
            try_next="pentathlon play tuned greedy random --record match.json",
        ) from error
    if not isinstance(record, dict):
        raise CommandFailed(
            f"{path} is not a record: it holds no JSON object.",
            try_next="pentathlon play tuned greedy random --record match.json",
        )
    return record


def describe_outcome(record: Record) -> str:
    """Return a sentence with the rank of each bot and the reason."""
    outcome = record["outcome"]
    places = [
        f"{bot['name']} (seat {seat}) {ordinal(rank)}"
        for seat, (bot, rank) in enumerate(zip(record["bots"], outcome["ranks"], strict=True))
    ]
    how = "all failed, so nobody won" if 0 not in outcome["ranks"] else f"by {outcome['reason']}"
    return f"{', '.join(places)} {how}"


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
    if ply == 0:
        return "start"
    event = Event.of(record["events"][ply - 1])
    if event.is_chance:
        return f"chance: {event.text}"
    name = "stand-in" if event.is_stand_in else record["bots"][event.seat]["name"]
    return f"{name} (seat {event.seat}): {event.text}, {event.cpu_ms} ms"


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
