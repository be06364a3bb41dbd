"""Rerun a recorded match for one seat with a real bot, or fork it: play on from one of its plies.

The bot gets the requests of the record with new clocks. Whatever it answers, the recorded action
happens next, so all requests are those of the record. A fault ends the run.

Forks: matches that are played on from a ply of another record, by any bots.

Seats, options, seed and the events up to the ply stay, so chance draws what it drew there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match import protocol
from pentathlon_engines.match.bot_pipes import BotFailed
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import Fault, FaultKind, RecordedFault
from pentathlon_engines.match.launcher import BotCommand, Launcher, Usage
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee, Request
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.table import OnLog, ask_for_action, request_message
from pentathlon_engines.match.traces import FROM_BOT, TO_BOT, Tape, Trace, TraceLine
from pentathlon_engines.record.record import (
    forked_at,
    position,
    resigned_at,
    resigned_seat,
    start_position,
)
from pentathlon_engines.record.shape import ForkPoint, Record
from pentathlon_engines.seeds import dice_of


class Verdict(StrEnum):
    """The comparison of a rerun with its record."""

    REPRODUCED = "reproduced"
    """The recorded fault happened again at the same ply."""
    PLAYED_THROUGH = "played_through"
    """Neither the record nor the rerun has a fault, and all actions are the same."""
    DIFFERS = "differs"
    """Neither the record nor the rerun has a fault, but some actions differ."""
    FAULT_GONE = "fault_gone"
    """The record has a fault, and the rerun has none."""
    OTHER_FAULT = "other_fault"
    """The rerun has a fault that the record does not have, or has at another ply."""

    @property
    def agrees(self) -> bool:
        """Return whether the same happened as in the record."""
        return self in {Verdict.REPRODUCED, Verdict.PLAYED_THROUGH}


@dataclass(frozen=True, slots=True, kw_only=True)
class RerunStep:
    """A request of a rerun, and what the bot made of it."""

    request: Request
    answer: str
    recorded: str | None
    """The recorded action; None at the ply of the recorded fault."""
    note: str
    cpu_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A recorded action, and the different one that the bot chose."""

    ply: int
    recorded: str
    played: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerun:
    """The behaviour of a bot that got the requests of a seat again."""

    verdict: Verdict
    fault: Fault | None
    answer_in_place: str | None
    """The bot's action at the ply of the recorded fault; None if there was none."""
    differences: list[Difference]
    log: bytes
    notes: list[tuple[int, str]]
    usage: Usage
    trace: Trace


def recorded_fault(record: Record, seat: int) -> RecordedFault | None:
    """Return the recorded fault of this seat, or None."""
    return next((fault for fault in record["faults"] if fault["seat"] == seat), None)


def requests_to(record: Record, seat: int) -> Iterator[Request]:
    """Yield the requests to a seat of a verified record, including the one at its fault.

    Between them the recorded actions happen, whatever the caller does with a request.
    """
    referee = Referee(
        game=start_position(record).game,
        seats=record["seats"],
        options=record["options"],
        seed=record["seed"],
    )
    first = forked_at(record)
    referee.repeat(Event.of(row) for row in record["events"][:first])
    left = {fault["seat"]: fault["ply"] for fault in record["faults"]}
    if (resigned := resigned_seat(record)) is not None:
        left[resigned] = resigned_at(record)
    last = left.pop(seat, len(record["events"]))
    for other in [other for other, ply in left.items() if ply == first]:
        _expel(referee, left, other)
    while (mover := referee.seat_to_ask()) is not None and referee.ply <= last:
        if mover == seat:
            yield referee.request()
        if referee.ply == last:
            return
        # The fault may be that of a seat that ran out of its turn, not of the mover.
        if gone := [other for other, ply in left.items() if ply == referee.ply]:
            for other in gone:
                _expel(referee, left, other)
            if mover in gone or referee.outcome is not None:
                continue
        event = Event.of(record["events"][referee.ply])
        referee.accept(event.text, cpu_ms=event.cpu_ms, wall_ms=event.wall_ms)


def lines_of(record: Record, seat: int) -> list[TraceLine]:
    """Rebuild the last lines between the runner and a seat from a verified record.

    The record has no clocks, so they are missing, and answers have only an action.
    """
    fault = recorded_fault(record, seat)
    tape = Tape()
    for request in requests_to(record, seat):
        message = request_message(request, clock={})
        del message["clock"]
        tape.append((TO_BOT, protocol.encode(message)))
        if fault is None or fault["ply"] != request.ply:
            answer = Event.of(record["events"][request.ply])
            tape.append((FROM_BOT, protocol.encode({"action": answer.text})))
    return tape.read(b"")


def match_facts(record: Record) -> protocol.MatchFacts:
    """Return the facts that `hello` told the bots of a recorded match."""
    return protocol.MatchFacts(
        game=record["game"],
        rules=record["rules"],
        seats=record["seats"],
        options=record["options"],
        limits=Limits.from_json(record["limits"]),
        match=record["match"],
        dice=dice_of(record["seed"], match=record["match"], seats=record["seats"]),
    )


def _expel(referee: Referee, left: dict[int, int], seat: int) -> None:
    del left[seat]
    referee.expel(Fault(FaultKind.CRASH, seat=seat, ply=referee.ply, detail="as recorded"))


def rerun(
    record: Record,
    *,
    seat: int,
    command: BotCommand,
    launcher: Launcher,
    codec: protocol.Codec = protocol.encode,
    on_request: Callable[[Request], None] | None = None,
    on_step: Callable[[RerunStep], None] | None = None,
    on_log: OnLog | None = None,
    seat_kind: type[Seat] = Seat,
) -> Rerun:
    """Rerun a verified record with a bot at this seat, and compare.

    It calls `on_request` before the bot gets a request, and `on_step` after the answer. `on_log`
    and `seat_kind` are those of `play_match`.

    Raises:
        LaunchFailed: the host could not start the bot.
        BadRecord: the record was made with other rules.
    """
    run = _Run(record, seat, codec)
    facts = match_facts(record)
    process = launcher.start(command, seat=seat, limits=facts.limits)
    bot = seat_kind(process, facts.limits)
    bot.command = command
    if on_log is not None:
        bot.pipes.on_log = lambda data: on_log(seat, run.ply, data)
    try:
        hello = protocol.hello(facts, seat=seat, parameters=command.parameters)
        bot.await_ready(codec(hello) + b"\n")
        run.play(bot, on_request, on_step)
    except BotFailed as failure:
        run.fault = Fault(failure.kind, seat=seat, ply=run.ply, detail=failure.detail)
    finally:
        usage = bot.stop()
    return Rerun(
        verdict=run.verdict(),
        fault=run.fault,
        answer_in_place=run.answer_in_place,
        differences=run.differences,
        log=bytes(bot.pipes.log),
        notes=run.notes,
        usage=usage,
        trace=bot.trace(),
    )


class _Run:
    """One pass over the requests of a seat."""

    def __init__(self, record: Record, seat: int, codec: protocol.Codec) -> None:
        self._record = record
        self._seat = seat
        self._codec = codec
        self._expected = recorded_fault(record, seat)
        self.ply = 0
        self.fault: Fault | None = None
        self.answer_in_place: str | None = None
        self.differences: list[Difference] = []
        self.notes: list[tuple[int, str]] = []

    def play(
        self,
        bot: Seat,
        on_request: Callable[[Request], None] | None,
        on_step: Callable[[RerunStep], None] | None,
    ) -> None:
        for request in requests_to(self._record, self._seat):
            self.ply = request.ply
            if on_request is not None:
                on_request(request)
            action = ask_for_action(bot, request, codec=self._codec, notes=self.notes)
            recorded = self._compare(request.ply, action)
            if on_step is not None:
                noted, note = self.notes[-1] if self.notes else (None, "")
                on_step(
                    RerunStep(
                        request=request,
                        answer=action,
                        recorded=recorded,
                        note=note if noted == request.ply else "",
                        cpu_ms=round(1000 * bot.last_cpu_s),
                    )
                )

    def verdict(self) -> Verdict:
        expected, fault = self._expected, self.fault
        if fault is not None:
            is_same = expected is not None and (expected["kind"], expected["ply"]) == (
                fault.kind,
                fault.ply,
            )
            return Verdict.REPRODUCED if is_same else Verdict.OTHER_FAULT
        if expected is not None:
            return Verdict.FAULT_GONE
        return Verdict.DIFFERS if self.differences else Verdict.PLAYED_THROUGH

    def _compare(self, ply: int, action: str) -> str | None:
        """Note a difference, and return the recorded action if there is one."""
        if self._expected is not None and self._expected["ply"] == ply:
            self.answer_in_place = action
            return None
        recorded = Event.of(self._record["events"][ply]).text
        if action != recorded:
            self.differences.append(Difference(ply=ply, recorded=recorded, played=action))
        return recorded


class Fork(NamedTuple):
    """The ply at which a match leaves another one."""

    point: ForkPoint
    events: tuple[Event, ...]
    """The first events of the match, which come from the other one."""


def fork_at(record: Record, ply: int) -> Fork:
    """Return the fork after `ply` events of a verified record.

    Raises:
        BadRecord: there is no such ply, or nothing is left to play there.
    """
    if position(record, ply).outcome is not None:
        raise BadRecord(f"ply {ply} is the end of the match: fork it before")
    events = tuple(map(Event.of, record["events"][:ply]))
    return Fork({"chain": record["chain"], "ply": ply}, events)
