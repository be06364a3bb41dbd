"""Friendlies: matches in which a person has a seat among bots.

People think for minutes or days, and no bot waits for them. Whenever bots have to move they are
started anew, told with their first request all that has happened, and stopped when the person is
to move again. So a bot remembers nothing of its own from one such stretch to the next, but it is
shown again everything that it was shown before.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from pentathlon_engines.contract.game import Game
from pentathlon_engines.errors import BadAction, BadRecord
from pentathlon_engines.match import protocol
from pentathlon_engines.match.bot_pipes import BotFailed
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import Fault, FaultKind, RecordedFault
from pentathlon_engines.match.launcher import BotCommand, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.table import ask_for_action
from pentathlon_engines.seeds import dice_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The progress of a friendly; everything that follows from the seed is in its events."""

    game: Game
    options: Mapping[str, Any]  # Any: each option has its own type
    seats: int
    seed: int
    person: int
    """The seat of the person."""
    events: Sequence[Event] = ()
    faults: Sequence[RecordedFault] = ()
    given: int = 0
    """How many events come from the match that this one was forked from; 0 if it is no fork."""
    resigned_at: int | None = None


def resume(course: Course, *, known: int | None = None) -> Referee:
    """Return the referee after all events, and after what chance and stand-ins do next.

    Actions are checked from ply `known` on; those before have been checked already.

    Raises:
        BadRecord: an action is not legal, or an event cannot happen here.
    """
    referee = Referee(
        game=course.game, seats=course.seats, options=course.options, seed=course.seed
    )
    known = len(course.events) if known is None else known
    referee.repeat(course.events[: course.given])
    left = {fault["seat"]: fault for fault in course.faults}
    same = 0
    while (seat := referee.seat_to_ask()) is not None:
        same = _check_same(referee, course.events, since=same)
        if _dismiss(referee, course, left):
            continue
        if referee.ply >= len(course.events):
            break
        event = course.events[referee.ply]
        if event.seat != seat or (referee.ply >= known and not _is_legal(referee, event.text)):
            raise BadRecord(f"event {referee.ply}: seat {event.seat} cannot do this here")
        referee.accept(event.text, cpu_ms=event.cpu_ms, wall_ms=event.wall_ms)
    _check_same(referee, course.events, since=same)
    if referee.ply < len(course.events):
        raise BadRecord(f"event {referee.ply}: the match was over before it")
    return referee


def play_bots(
    course: Course,
    *,
    commands: Mapping[int, BotCommand],
    limits: Limits,
    launcher: Launcher,
    codec: protocol.Codec = protocol.encode,
    match: str = "local",
    on_tick: Callable[[int], None] | None = None,
) -> Referee:
    """Let the bots move until it is the person's turn or the match is over.

    A bot starts when it is asked first. What it used in earlier stretches counts. `on_tick` is
    called with the ply as often as during a match, and may raise to end the stretch.

    Raises:
        LaunchFailed, HostTooSlow, EndedFromOutside: as in any match.
    """
    referee = resume(course)
    facts = protocol.MatchFacts(
        game=course.game.info.key,
        rules=course.game.info.version,
        seats=course.seats,
        options=referee.state.options,
        limits=limits,
        match=match,
        dice=dice_of(course.seed, match=match, seats=course.seats),
    )
    with ExitStack() as started:
        bench = _Bench(course, facts, started, launcher=launcher, codec=codec)
        while (seat := referee.seat_to_ask()) is not None and seat in commands:
            try:
                bench.take_turn(referee, seat, command=commands[seat], on_tick=on_tick)
            except BotFailed as failure:
                bench.stop(seat)
                fault = Fault(failure.kind, seat=seat, ply=referee.ply, detail=failure.detail)
                referee.expel(fault)
    return referee


class _Bench:
    """The bots that have started in this stretch."""

    def __init__(
        self,
        course: Course,
        facts: protocol.MatchFacts,
        started: ExitStack,
        *,
        launcher: Launcher,
        codec: protocol.Codec,
    ) -> None:
        self._course = course
        self._facts = facts
        self._started = started
        self._launcher = launcher
        self._codec = codec
        self._seats: dict[int, Seat] = {}

    def take_turn(
        self,
        referee: Referee,
        index: int,
        *,
        command: BotCommand,
        on_tick: Callable[[int], None] | None,
    ) -> None:
        ply = referee.ply
        if on_tick is not None:
            on_tick(ply)
        seat = self._seats.get(index) or self._start(index, command)
        seat.on_look = None if on_tick is None else lambda: on_tick(ply)
        action = ask_for_action(seat, referee.request(), codec=self._codec, notes=[])
        cpu_ms, wall_ms = round(1000 * seat.last_cpu_s), round(1000 * seat.last_wall_s)
        referee.accept(action, cpu_ms=cpu_ms, wall_ms=wall_ms)

    def stop(self, index: int) -> None:
        if index in self._seats:
            self._seats[index].stop()

    def _start(self, index: int, command: BotCommand) -> Seat:
        limits = self._facts.limits
        process = self._launcher.start(command, seat=index, limits=limits)
        seat = self._seats[index] = Seat(process, limits)
        seat.command = command
        self._started.callback(seat.stop)
        own = [event for event in self._course.events if event.seat == index]
        seat.cpu_s = sum(event.cpu_ms for event in own) / 1000
        seat.wall_s = sum(event.wall_ms for event in own) / 1000
        hello = protocol.hello(self._facts, seat=index, parameters=command.parameters)
        seat.await_ready(self._codec(hello) + b"\n")
        return seat


def _check_same(referee: Referee, events: Sequence[Event], *, since: int) -> int:
    """Raise `BadRecord` if the referee's events from `since` on differ from those given.

    Returns the ply up to which both were compared.
    """
    end = min(referee.ply, len(events))
    for ply in range(since, end):
        if referee.events[ply][:2] != events[ply][:2]:
            raise BadRecord(f"event {ply}: it does not follow from the seed")
    return end


def _dismiss(referee: Referee, course: Course, left: dict[int, RecordedFault]) -> bool:
    """Expel the seats that failed or gave up at this ply; return whether there were any."""
    gone = [seat for seat, fault in left.items() if fault["ply"] == referee.ply]
    for seat in gone:
        fault = left.pop(seat)
        kind, detail = FaultKind(fault["kind"]), fault["detail"]
        referee.expel(Fault(kind, seat=seat, ply=fault["ply"], detail=detail))
    resigns = course.resigned_at == referee.ply and not referee.has_left(course.person)
    if resigns:
        referee.resign(course.person)
    return bool(gone) or resigns


def _is_legal(referee: Referee, text: str) -> bool:
    state = referee.state
    try:
        return state.is_legal(state.parse(text))
    except BadAction:
        return False
