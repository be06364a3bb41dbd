"""`pentathlon play BUNDLE BOT`: rerun a match for one seat, to reproduce a fault at home."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli.arguments import find_player
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.output.streams import print_json, say, show_log
from pentathlon_engines.commentary.words import count
from pentathlon_engines.errors import BadBundle
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.record.advice import what_to_do
from pentathlon_engines.record.answers import answer_at_fault
from pentathlon_engines.record.bundle import Bundle, read_bundle
from pentathlon_engines.record.rerun import Rerun, Verdict, recorded_fault, rerun
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import SeatBot

_DIFFERENCES_SHOWN = 3
_SAID = {
    Verdict.REPRODUCED: "Reproduced: the same fault at the same ply.",
    Verdict.PLAYED_THROUGH: "Played through: the same actions to the end of the record.",
    Verdict.DIFFERS: "Differs: no fault, but other actions than in the record.",
    Verdict.FAULT_GONE: "The fault is gone: the bot went on after it.",
    Verdict.OTHER_FAULT: "Differs: another fault than in the record.",
}


def play_bundle(
    path: Path,
    bots: Sequence[str],
    *,
    launcher: Launcher,
    on_tick: Callable[[int], None] | None,
    as_json: bool,
) -> None:
    """Rerun a bundle with a bot and print what happened; exit with 1 if it differs."""
    bundle = _read(path)
    if len(bots) != 1:
        raise CommandFailed(
            f"A bundle needs one bot, for seat {bundle.seat}: the other seats act as recorded.",
            try_next=f"pentathlon play {path} {bots[0]}",
        )
    bot = find_player(bots[0], game=GAMES[bundle.record["game"]])
    run = rerun(
        bundle.record,
        seat=bundle.seat,
        command=bot.command,
        launcher=launcher,
        on_request=on_tick and (lambda request: on_tick(request.ply)),
    )
    if as_json:
        print_json(_summary(bundle, bot, launcher, run))
    else:
        _show(bundle, bot, launcher, run)
    if not run.verdict.agrees:
        raise typer.Exit(CHECK_FAILED)


def _read(path: Path) -> Bundle:
    try:
        return read_bundle(path.read_bytes())
    except (OSError, BadBundle) as error:
        raise CommandFailed(
            f"{path} is not a valid bundle: {error}.",
            try_next="downloading it again from the page of the match",
        ) from error


def _summary(bundle: Bundle, bot: SeatBot, launcher: Launcher, run: Rerun) -> dict[str, object]:
    record, seat = bundle
    return {
        "match": record["match"],
        "game": record["game"],
        "seat": seat,
        "bot": bot.name,
        "is_same_bot": bot.hash == record["bots"][seat]["hash"],
        "sandbox": launcher.level.value,
        "verdict": run.verdict.value,
        "agrees": run.verdict.agrees,
        "recorded_fault": recorded_fault(record, seat),
        "fault": None if run.fault is None else run.fault.to_json(),
        "answer": _wrong_answer(record, run),
        "answer_in_place": run.answer_in_place,
        "differences": [asdict(difference) for difference in run.differences],
        "requests": run.trace.requests,
        "cpu_s": round(run.usage.cpu_s, 3),
        "memory_peak_mb": round(run.usage.memory_peak_mb, 1),
        "exit_status": run.usage.exit_status,
        "notes": run.notes,
        "log": run.log.decode(errors="replace"),
        "lines": [line._asdict() for line in run.trace.lines],
    }


def _show(bundle: Bundle, bot: SeatBot, launcher: Launcher, run: Rerun) -> None:
    record, seat = bundle
    there = record["bots"][seat]
    typer.echo(
        f"match {record['match']} of {record['game']}, seat {seat}: {there['name']} there, "
        f"{bot.name} here"
    )
    _show_surroundings(bundle, bot, launcher)
    expected = recorded_fault(record, seat)
    typer.echo(f"record: {_describe(expected) if expected else 'no fault of this seat'}")
    now = _describe(run.fault.to_json()) if run.fault else _describe_success(run)
    typer.echo(f"now:    {now}")
    _show_differences(run)
    typer.echo(_SAID[run.verdict])
    if run.fault is not None:
        if answer := _wrong_answer(record, run):
            say(answer)
        show_log(run.log, run.notes)
        log = run.log.decode(errors="replace")
        say(what_to_do(run.fault.kind, log=log, limits=record["limits"]))


def _show_surroundings(bundle: Bundle, bot: SeatBot, launcher: Launcher) -> None:
    record, seat = bundle
    if bot.hash != record["bots"][seat]["hash"]:
        say("The files of this bot are not those that played the match.")
    if launcher.level.value != record["sandbox"]:
        say(
            f"The match ran in the sandbox {record['sandbox']}, this is {launcher.level.value}: "
            "faults of memory, files and system calls may differ."
        )


def _wrong_answer(record: Record, run: Rerun) -> str | None:
    """Return what the bot wrote and what was expected, in the words of the server."""
    if run.fault is None:
        return None
    return answer_at_fault(record, run.fault.to_json(), run.trace) or None


def _describe(fault: RecordedFault) -> str:
    return f"{fault['kind']} at ply {fault['ply']}: {fault['detail']}"


def _describe_success(run: Rerun) -> str:
    asked = run.trace.requests
    answers = f"no fault in {count(asked, 'request')}"
    if run.answer_in_place is None:
        return answers
    return f"{answers}; in place of the fault it played {run.answer_in_place!r}"


def _show_differences(run: Rerun) -> None:
    for difference in run.differences[:_DIFFERENCES_SHOWN]:
        typer.echo(
            f"ply {difference.ply}: the record has {difference.recorded!r}, "
            f"now it would play {difference.played!r}"
        )
    more = len(run.differences) - _DIFFERENCES_SHOWN
    if more > 0:
        typer.echo(f"and {more} more")
