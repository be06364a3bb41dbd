"""Run one match between bot processes and return its record.

Every match runs through here: at the author's desk, in the tests and in the workers. An error of a
bot becomes a fault in the record. An error of the host is raised, and the match has no result.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pentathlon_engines.contract.game import Game
from pentathlon_engines.match import protocol
from pentathlon_engines.match.launcher import BotCommand, Launcher, Usage
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.table import OnLog, Table
from pentathlon_engines.match.traces import Trace
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.rerun import Fork
from pentathlon_engines.record.shape import SEED_END, Header, Record
from pentathlon_engines.seeds import dice_of


class MatchAbandoned(Exception):
    """Raise this in `on_tick` to end a match whose result nobody needs any more."""

    code = "match_abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBot:
    """The bot at a seat, and the command that starts it."""

    name: str
    hash: str
    command: BotCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchReport:
    """The record of a match, and for each seat the facts that only the bot's owner may see."""

    record: Record
    logs: list[bytes]
    """The end of each bot's standard error."""
    usage: list[Usage]
    notes: list[list[tuple[int, str]]]
    """For each seat: ply and text of the bot's notes, and of its actions that were not legal."""
    traces: list[Trace]
    """For each seat: the last lines in both directions, and the times of the last request."""
    starved_s: float = 0.0
    """How long the bots, all together, waited for their host while they were to act."""
    watched_s: float = 0.0
    """How much of the time in which the bots were to act is covered by looks at them."""


def play_match(
    *,
    game: Game,
    options: Mapping[str, Any] | None,
    seats: Sequence[SeatBot],
    seed: int,
    limits: Limits,
    launcher: Launcher,
    codec: protocol.Codec = protocol.encode,
    match: str = "local",
    on_tick: Callable[[int], None] | None = None,
    on_position: Callable[[Referee], None] | None = None,
    blamed: Collection[int] = (),
    fork: Fork | None = None,
    on_log: OnLog | None = None,
    seat_kind: type[Seat] = Seat,
) -> MatchReport:
    """Play one match to its end and return the report.

    It calls `on_tick` with the ply before every request, and at every look at a bot, some 50 times
    a second; that may raise to end the match without a report. `on_position` is called at the
    same times, to show the match to spectators; it must be quick and change nothing. Other hosts
    have given up, or killed, the bots at `blamed` seats: if this host does so, too, those bots
    have lost. With a `fork`, the match goes on from its ply. `on_log` gets what bots
    write to standard error. `UntimedSeat` as the kind of seat stops their clocks.

    Raises:
        LaunchFailed: the host could not start a bot.
        HostTooSlow: the host did not let a bot run.
        EndedFromOutside: somebody on the host killed a bot.
        BadSeats, BadOption: the game does not allow these seats or options.
    """
    if not 0 <= seed < SEED_END:
        raise ValueError(f"a seed is from 0 to 2**53 - 1, not {seed}")
    referee = Referee(game=game, seats=len(seats), options=options, seed=seed)
    if fork is not None:
        referee.repeat(fork.events)
    facts = _facts(referee, seed=seed, limits=limits, match=match)
    table = Table(referee, facts, codec, on_tick, on_position, on_log=on_log)
    try:
        commands = [bot.command for bot in seats]
        table.start(commands, launcher, blamed=blamed, seat_kind=seat_kind)
        table.play()
    finally:
        usage = table.close()
    header = _header(facts, seats=seats, seed=seed, launcher=launcher, fork=fork)
    return MatchReport(
        record=seal(
            header, events=referee.events, faults=referee.faults, outcome=referee.final_outcome()
        ),
        logs=[bytes(seat.pipes.log) for seat in table.seats],
        usage=usage,
        notes=table.notes,
        traces=[seat.trace() for seat in table.seats],
        starved_s=sum(seat.waited_s for seat in table.seats),
        watched_s=sum(seat.looked_s for seat in table.seats),
    )


def _facts(referee: Referee, *, seed: int, limits: Limits, match: str) -> protocol.MatchFacts:
    state = referee.state
    return protocol.MatchFacts(
        game=state.game.info.key,
        rules=state.game.info.version,
        seats=state.seats,
        options=state.options,
        limits=limits,
        match=match,
        dice=dice_of(seed, match=match, seats=state.seats),
    )


def _header(
    facts: protocol.MatchFacts,
    *,
    seats: Sequence[SeatBot],
    seed: int,
    launcher: Launcher,
    fork: Fork | None,
) -> Header:
    header: Header = {
        "game": facts.game,
        "rules": facts.rules,
        "seats": facts.seats,
        "options": facts.options,
        "seed": seed,
        "match": facts.match,
        "bots": [{"name": bot.name, "hash": bot.hash} for bot in seats],
        "limits": facts.limits.to_json(),
        "sandbox": launcher.level.value,
        "layers": list(launcher.layers),
    }
    if fork is not None:
        header["fork"] = fork.point
    return header
