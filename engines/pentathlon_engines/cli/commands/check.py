"""`pentathlon check`: test whether a bot keeps the protocol."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli.arguments import find_bot, find_launcher, find_player
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.output import print_json, say
from pentathlon_engines.cli.tables import print_table
from pentathlon_engines.contract.game import Game
from pentathlon_engines.match import protocol
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.record.record import events_by
from pentathlon_engines.runner import MatchReport, SeatBot, play_match


class Finding(NamedTuple):
    """The result of one match of the check."""

    game: str
    seat: int
    ok: bool
    detail: str
    actions: int
    slowest_cpu_ms: int
    log: str


def check(
    bot: Annotated[str, typer.Argument(help="A folder with a bot.toml, or a built-in name.")],
    sandbox: Annotated[bool, typer.Option("--sandbox", help="Run bots in the sandbox.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play a bot against random bots in every seat of its games and report its faults."""
    manifest, contestant = find_bot(bot)
    launcher = find_launcher(sandbox=sandbox)
    findings = [
        _try_seat(GAMES[key], seat, contestant, launcher)
        for key in manifest.games
        for seat in range(GAMES[key].info.default_seats)
    ]
    ok = all(finding.ok for finding in findings)
    if as_json:
        rows = [finding._asdict() for finding in findings]
        print_json({"bot": manifest.name, "ok": ok, "findings": rows})
    else:
        _show(findings)
    if ok:
        return
    raise CommandFailed(
        f"{manifest.name} does not keep the protocol.",
        try_next=f"pentathlon play {manifest.games[0]} {bot} random",
        exit_code=CHECK_FAILED,
    )


def _try_seat(game: Game, seat: int, bot: SeatBot, launcher: Launcher) -> Finding:
    seats = [find_player("random", game=game) for _ in range(game.info.default_seats)]
    seats[seat] = bot
    report = play_match(
        game=game,
        options=None,
        seats=seats,
        seed=seat,
        limits=Limits(),
        launcher=launcher,
        codec=_with_unknown_field,
        match=f"check-{seat}",
    )
    return _finding(report, seat)


def _with_unknown_field(message: protocol.Message) -> bytes:
    # Later versions of the protocol may add fields, and bots must ignore them.
    return protocol.encode({**message, "x_unknown": {"pass": ["over", None]}})


def _finding(report: MatchReport, seat: int) -> Finding:
    faults = [fault for fault in report.record["faults"] if fault["seat"] == seat]
    own = [event.cpu_ms for event in events_by(report.record, seat)]
    return Finding(
        game=report.record["game"],
        seat=seat,
        ok=not faults,
        detail="; ".join(f"{fault['kind']}: {fault['detail']}" for fault in faults) or "ok",
        actions=len(own),
        slowest_cpu_ms=max(own, default=0),
        log=report.logs[seat].decode(errors="replace") if faults else "",
    )


def _show(findings: list[Finding]) -> None:
    rows = [
        (each.game, str(each.seat), str(each.actions), f"{each.slowest_cpu_ms} ms", each.detail)
        for each in findings
    ]
    print_table(("game", "seat", "actions", "slowest", "result"), rows)
    for finding in findings:
        if finding.log:
            say(f"log of seat {finding.seat} in {finding.game}:\n{finding.log}")
