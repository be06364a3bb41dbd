"""The cost of bots and rules in a match, on records of real matches."""

import time
from collections.abc import Sequence

import msgspec

from pentathlon_engines import GAMES
from pentathlon_engines.match import protocol
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.launcher import BotCommand, Launcher
from pentathlon_engines.match.referee import Referee, Request
from pentathlon_engines.match.table import Table, request_message
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.rerun import match_facts
from pentathlon_engines.record.shape import Record
from tools.benchmark.meter import own_cpu_s
from workers.sandbox.launcher import SandboxLauncher


def starts_s(records: Sequence[Record], command: BotCommand, launcher: Launcher) -> float:
    """Start all bots of matches until they are ready, and end them; return the CPU seconds."""
    _start_table(records[0], command, launcher).close()  # which may start a fork server
    before = _cpu_s(launcher)
    for record in records:
        _start_table(record, command, launcher).close()
    return _cpu_s(launcher) - before


def turns_s(
    record: Record, requests: Sequence[Request], command: BotCommand, launcher: Launcher
) -> float:
    """Put the requests of a match to its bots; return the CPU seconds of both sides."""
    table = _start_table(record, command, launcher)
    try:
        before = time.process_time()
        for request in requests:
            seat = table.seats[request.seat]
            answer = seat.ask(
                msgspec.json.encode(request_message(request, clock=seat.clock())) + b"\n"
            )
            protocol.read_reply(answer, ply=request.ply)
        return time.process_time() - before + sum(seat.cpu_s for seat in table.seats)
    finally:
        table.close()


def referee_match(record: Record) -> list[Request]:
    """Do everything that the referee does in a match; return the requests to the bots."""
    referee = _referee(record)
    requests = []
    while referee.seat_to_ask() is not None:
        requests.append(referee.request())
        event = Event.of(record["events"][referee.ply])
        if event.text in requests[-1].legal:
            referee.accept(event.text, cpu_ms=event.cpu_ms, wall_ms=event.wall_ms)
    seal(record, events=referee.events, faults=[], outcome=referee.final_outcome())
    return requests


def _cpu_s(launcher: Launcher) -> float:
    """Return the CPU seconds of this process, its bots, and their fork servers."""
    servers = launcher.forks if isinstance(launcher, SandboxLauncher) else None
    return own_cpu_s() + (servers.cpu_s() if servers else 0.0)


def _start_table(record: Record, command: BotCommand, launcher: Launcher) -> Table:
    referee = _referee(record)
    facts = match_facts(record)
    table = Table(referee, facts, msgspec.json.encode)
    table.start([command] * record["seats"], launcher)
    return table


def _referee(record: Record) -> Referee:
    return Referee(
        game=GAMES[record["game"]],
        seats=record["seats"],
        options=record["options"],
        seed=record["seed"],
    )
