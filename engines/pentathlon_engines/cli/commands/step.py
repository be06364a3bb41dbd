"""`pentathlon step`: step a bot through a recorded match, one request after the other."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated, Any

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli.arguments import find_player
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.options import AsJson, Debug, RecordSource, SiteOption
from pentathlon_engines.cli.output.live_log import LiveLog
from pentathlon_engines.cli.output.streams import print_json, print_text, say
from pentathlon_engines.cli.records import find_verified
from pentathlon_engines.desk.debugger import DebugLauncher
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.match.referee import Request
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.untimed_seat import UntimedSeat
from pentathlon_engines.record.rerun import Rerun, RerunStep, rerun
from pentathlon_engines.record.shape import Record

_KEYS = "Enter: next   c: to the end   q: quit"


def step(
    match: RecordSource,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The bot's folder.")] = ".",
    *,
    seat: Annotated[
        int | None, typer.Option(min=0, help="The bot's seat. Default: that of its name.")
    ] = None,
    debug: Debug = False,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """RerunStep a bot through a recorded match: what it sees, answers and prints at each ply.

    It gets the requests of the record, whatever it answers. In a terminal, a key leads on.

    Example: pentathlon step 126 ./my-bot
    """
    record = find_verified(match, site)
    player = find_player(bot, game=GAMES[record["game"]])
    chosen = _seat_of(record, player.name, match) if seat is None else seat
    if chosen >= record["seats"]:
        raise CommandFailed(
            f"There is no seat {chosen}: this match has 0 to {record['seats'] - 1}.",
            try_next=f"pentathlon step {match} {bot} --seat 0",
        )
    live, steps = LiveLog(), _Steps(record, as_json=as_json)
    launcher: Launcher = PlainLauncher()
    if debug:
        launcher = DebugLauncher(
            player.command, seat=chosen, on_log=live.take, tell=lambda _: None
        )

    def play() -> Rerun:
        return rerun(
            record,
            seat=chosen,
            command=player.command,
            launcher=launcher,
            on_request=steps.show_request,
            on_step=steps.show_step,
            on_log=live.take,
            seat_kind=UntimedSeat if debug else Seat,
        )

    run = launcher.run(play) if isinstance(launcher, DebugLauncher) else play()
    steps.finish(run)


def _seat_of(record: Record, name: str, match: str) -> int:
    """Return the seat of the bot with this name, or of a version of it."""
    names = [bot["name"] for bot in record["bots"]]
    own = [
        seat for seat, other in enumerate(names) if other == name or other.startswith(f"{name} v")
    ]
    if not own:
        raise CommandFailed(
            f"No seat of this match had {name!r}, but {' and '.join(names)}: name one by --seat.",
            try_next=f"pentathlon step {match} BOT --seat 0",
        )
    return own[0]


class _Steps:
    """Shows each request and its answer, and waits for a key where there is a terminal."""

    def __init__(self, record: Record, *, as_json: bool) -> None:
        self._game = GAMES[record["game"]]
        self._bots = record["bots"]
        self._as_json = as_json
        self._waits = not as_json and sys.stdin.isatty() and sys.stdout.isatty()
        self._rows: list[dict[str, Any]] = []

    def show_request(self, request: Request) -> None:
        if self._as_json:
            return
        head = f"ply {request.ply}: seat {request.seat} ({self._bots[request.seat]['name']})"
        seen = self._game.load(request.observation)
        for mover, text in request.events:
            print_text(f"  before: {'chance' if mover < 0 else f'seat {mover}'}: {text}")
        print_text(f"{head} has {len(request.legal)} legal actions\n\n{seen}\n")

    def show_step(self, step: RerunStep) -> None:
        if self._as_json:
            self._rows.append(asdict(step) | {"request": step.request._asdict()})
            return
        if step.recorded is None:
            there = "its fault"
        else:
            there = "the same" if step.recorded == step.answer else repr(step.recorded)
        print_text(f"answer: {step.answer!r} after {step.cpu_ms} ms; in the record: {there}")
        if step.note:
            print_text(f"note: {step.note}")
        print_text("")
        if self._waits:
            self._await_key()

    def finish(self, run: Rerun) -> None:
        """Show the end; exit with 1 if something else happened than in the record."""
        fault = None if run.fault is None else run.fault.to_json()
        if self._as_json:
            log = run.log.decode(errors="replace")
            print_json({"verdict": run.verdict, "steps": self._rows, "fault": fault, "log": log})
        elif fault is not None:
            say(f"{fault['kind']} at ply {fault['ply']}: {fault['detail']}")
        if not run.verdict.agrees:
            raise typer.Exit(CHECK_FAILED)

    def _await_key(self) -> None:
        say(_KEYS)
        key = typer.getchar()
        if key == "c":
            self._waits = False
        elif key in ("q", "\x1b"):
            raise KeyboardInterrupt
