"""`pentathlon play`: play a match on this machine as workers do, or rerun a bundle."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import SystemRandom
from typing import Annotated

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli.arguments import (
    find_game,
    find_launcher,
    find_player,
    read_limits,
    read_object,
)
from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed
from pentathlon_engines.cli.output import print_json, say, show_log
from pentathlon_engines.cli.rerun import play_bundle
from pentathlon_engines.cli.tables import print_table
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.record.record import events_by
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import MatchReport, play_match


def play(
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME|BUNDLE", help="A game, such as tuned, or the repro bundle of a match."
        ),
    ],
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT BOT...", help="A folder with a bot.toml, or a built-in name."),
    ],
    *,
    seed: Annotated[
        int | None, typer.Option(min=0, max=2**53 - 1, help="Random by default.")
    ] = None,
    options: Annotated[str | None, typer.Option(help="Options of the game, as JSON.")] = None,
    limits: Annotated[str | None, typer.Option(help="Limits per bot, as JSON.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write the record to this file.")] = None,
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Run bots in the sandbox.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play one match and print the result.

    With a bundle, repeat a match for one bot: exit with 0 if the same happens, else with 1.
    """
    if game not in GAMES and (game.endswith(".zip") or Path(game).is_file()):
        _refuse_settings(game, seed=seed, options=options, limits=limits, record=record)
        play_bundle(
            Path(game),
            bots,
            launcher=find_launcher(sandbox=sandbox),
            on_ply=_progress(as_json=as_json),
            as_json=as_json,
        )
        return
    rules = find_game(game)
    seed = SystemRandom().randrange(2**31) if seed is None else seed
    report = play_match(
        game=rules,
        options=read_object(options, option="--options"),
        seats=[find_player(name, game=rules) for name in bots],
        seed=seed,
        limits=read_limits(limits),
        launcher=find_launcher(sandbox=sandbox),
        match=f"local-{seed}",
        on_tick=_progress(as_json=as_json),
    )
    if record is not None:
        _write(record, report.record)
    if as_json:
        print_json(_summary(report, record))
        return
    _show(report)
    if record is not None:
        say(f"Record written. Step through it: pentathlon replay {record}")


def _refuse_settings(bundle: str, **given: object) -> None:
    names = [f"--{name}" for name, value in given.items() if value is not None]
    if names:
        raise CommandFailed(
            f"A bundle has the settings of its match: leave {' and '.join(names)} out.",
            try_next=f"pentathlon play {bundle} BOT",
        )


def _progress(*, as_json: bool) -> Callable[[int], None] | None:
    if as_json or not sys.stderr.isatty():
        return None

    def show(ply: int) -> None:
        sys.stderr.write(f"\rply {ply}\x1b[K\r")

    return show


def _write(path: Path, record: Record) -> None:
    try:
        path.write_text(json.dumps(record, ensure_ascii=False) + "\n")
    except OSError as error:
        raise CommandFailed(
            f"{path} cannot be written: {error.strerror}.",
            try_next="the same command with another --record",
            exit_code=HOST_OR_SERVER,
        ) from error


def _summary(report: MatchReport, path: Path | None) -> dict[str, object]:
    record = report.record
    return {
        "game": record["game"],
        "seed": record["seed"],
        "bots": record["bots"],
        "sandbox": record["sandbox"],
        "outcome": record["outcome"],
        "faults": record["faults"],
        "plies": len(record["events"]),
        "cpu_s": [round(usage.cpu_s, 3) for usage in report.usage],
        "memory_peak_mb": [round(usage.memory_peak_mb, 1) for usage in report.usage],
        "notes": report.notes,
        "logs": [log.decode(errors="replace") for log in report.logs],
        "chain": record["chain"],
        "record": None if path is None else str(path),
    }


def _show(report: MatchReport) -> None:
    record = report.record
    outcome = record["outcome"]
    typer.echo(
        f"{record['game']}, seed {record['seed']}: {outcome['reason']} "
        f"after {len(record['events'])} plies"
    )
    print_table(
        ("seat", "bot", "rank", "points", "cpu", "slowest"),
        [_row(report, seat) for seat in range(record["seats"])],
    )
    for fault in record["faults"]:
        _explain(report, fault)


def _row(report: MatchReport, seat: int) -> tuple[str, ...]:
    outcome = report.record["outcome"]
    scores = outcome["scores"]
    own = [event.cpu_ms for event in events_by(report.record, seat)]
    return (
        str(seat),
        report.record["bots"][seat]["name"],
        ordinal(outcome["ranks"][seat]),
        "" if scores is None else str(scores[seat]),
        f"{report.usage[seat].cpu_s:.2f} s",
        f"{max(own, default=0)} ms",
    )


def _explain(report: MatchReport, fault: RecordedFault) -> None:
    seat = fault["seat"]
    name = report.record["bots"][seat]["name"]
    say(f"seat {seat} ({name}): {fault['kind']} at ply {fault['ply']}: {fault['detail']}")
    show_log(report.logs[seat], report.notes[seat])
