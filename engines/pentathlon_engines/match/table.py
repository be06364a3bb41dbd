"""Seats the bots of one match around their referee: starts, asks, expels and stops them."""

import select
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from pentathlon_engines.errors import BadMessage
from pentathlon_engines.match import protocol
from pentathlon_engines.match.bot_pipes import BotFailed
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.launcher import BotCommand, HostTooSlow, Launcher, Usage
from pentathlon_engines.match.referee import Referee, Request
from pentathlon_engines.match.seat import Seat

OnLog = Callable[[int, int, bytes], None]
"""Called with the seat, the ply and what the bot writes to standard error, as it comes."""

FAREWELL_S: Final = 0.05
"""How long bots may take to exit after `end`."""
_FAREWELL_TICK_MS: Final = 20


class Table:
    """The bots of one match around their referee."""

    def __init__(
        self,
        referee: Referee,
        facts: protocol.MatchFacts,
        codec: protocol.Codec,
        on_tick: Callable[[int], None] | None = None,
        on_position: Callable[[Referee], None] | None = None,
        *,
        on_log: OnLog | None = None,
    ) -> None:
        self.seats: list[Seat] = []
        self.notes: list[list[tuple[int, str]]] = [[] for _ in range(facts.seats)]
        self._referee = referee
        self._facts = facts
        self._codec = codec
        self._on_tick = on_tick
        self._on_position = on_position
        self._on_log = on_log
        self._present: set[int] = set()
        self._running: Collection[int] = ()
        """The seats that are not paused."""

    def start(
        self,
        commands: Sequence[BotCommand],
        launcher: Launcher,
        *,
        blamed: Collection[int] = (),
        seat_kind: type[Seat] = Seat,
    ) -> None:
        """Start all bots together, and wait until each is ready or has failed.

        Raises:
            HostTooSlow: the host did not let a bot run that is not among the `blamed`.
        """
        for index, command in enumerate(commands):
            process = launcher.start(command, seat=index, limits=self._facts.limits)
            seat = seat_kind(process, self._facts.limits, is_blamed=index in blamed)
            seat.command = command
            seat.on_look = self._tick
            if self._on_log is not None:
                seat.pipes.on_log = partial(self._tell_log, index)
            self.seats.append(seat)
            self._present.add(index)
        waiting = dict(enumerate(self.seats))
        for index, seat in waiting.items():
            told = commands[index].parameters
            seat.greet(self._line(protocol.hello(self._facts, seat=index, parameters=told)))
        self._running = waiting.keys()
        while waiting:
            look_ms = min(seat.ms_to_look() for seat in waiting.values())
            for index, descriptor in _wait_for_pipes(waiting, look_ms):
                if index in self._present:
                    self._move_bytes(index, descriptor)
            for index, seat in list(waiting.items()):
                if self._is_settled(index, seat):
                    del waiting[index]
            self._watch_paused()

    def play(self) -> None:
        """Ask the bots in turn until the match is over, then send `end` to them."""
        referee = self._referee
        for seat in self.seats:
            seat.on_look = self._guard_turn
        while (index := referee.seat_to_ask()) is not None:
            self._tick()
            self._running = (index,)
            try:
                self._take_turn(index, referee.request())
            except BotFailed as failure:
                self._expel(index, failure)
            except HostTooSlow as error:
                raise HostTooSlow(error.detail, seat=index) from error
            except _MatchIsOver:
                break
        self._say_end()

    def close(self) -> list[Usage]:
        """Stop every bot, and return what each has used."""
        with ExitStack() as stack:
            for seat in self.seats:
                stack.callback(seat.stop)
        return [seat.stop() for seat in self.seats]

    def _take_turn(self, index: int, request: Request) -> None:
        seat = self.seats[index]
        action = ask_for_action(seat, request, codec=self._codec, notes=self.notes[index])
        self._referee.accept(
            action, cpu_ms=round(1000 * seat.last_cpu_s), wall_ms=round(1000 * seat.last_wall_s)
        )

    def _tell_log(self, index: int, data: bytes) -> None:
        if self._on_log is not None:
            self._on_log(index, self._referee.ply, data)

    def _tick(self) -> None:
        if self._on_tick is not None:
            self._on_tick(self._referee.ply)
        if self._on_position is not None:
            self._on_position(self._referee)

    def _guard_turn(self) -> None:
        """Expel bots that run in another bot's turn, and give the disturbed bot its time back."""
        self._tick()
        if not self._watch_paused():
            return
        for index in self._running:
            self.seats[index].forgive()
        if self._referee.outcome is not None:
            raise _MatchIsOver

    def _watch_paused(self) -> bool:
        """Expel paused bots that have run; return whether there was one."""
        present = len(self._present)
        for index in self._present.difference(self._running):
            try:
                self.seats[index].check_pause()
            except BotFailed as failure:
                self._expel(index, failure)
        return len(self._present) < present

    def _is_settled(self, index: int, seat: Seat) -> bool:
        try:
            return index not in self._present or seat.is_ready()
        except BotFailed as failure:
            self._expel(index, failure)
            return True
        except HostTooSlow as error:
            # If several are not ready, we cannot tell which of them keeps the others waiting.
            only = index if len(self._running) == 1 else None
            raise HostTooSlow(error.detail, seat=only) from error

    def _move_bytes(self, index: int, descriptor: int) -> None:
        try:
            self.seats[index].hear(descriptor)
        except BotFailed as failure:
            self._expel(index, failure)

    def _expel(self, index: int, failure: BotFailed) -> None:
        self._present.discard(index)
        self.seats[index].stop()
        ply = self._referee.ply
        self._referee.expel(Fault(failure.kind, seat=index, ply=ply, detail=failure.detail))

    def _say_end(self) -> None:
        outcome = self._referee.final_outcome()
        line = self._line(protocol.end(ranks=outcome.ranks, reason=outcome.reason))
        waiting = {index: self.seats[index] for index in self._present}
        for seat in waiting.values():
            seat.tell(line)
        deadline = time.monotonic() + FAREWELL_S
        while waiting and time.monotonic() < deadline:
            for index, descriptor in _wait_for_pipes(waiting, _FAREWELL_TICK_MS):
                if index in waiting and waiting[index].is_gone(descriptor):
                    del waiting[index]

    def _line(self, message: protocol.Message) -> bytes:
        return self._codec(message) + b"\n"


class _MatchIsOver(Exception):
    """The match ended while a bot thought."""


def ask_for_action(
    seat: Seat, request: Request, *, codec: protocol.Codec, notes: list[tuple[int, str]]
) -> str:
    """Send a request to a bot and return its answer, which is a legal action.

    Append the note of the bot to `notes`, and its action if that is not legal.

    Raises:
        BotFailed: it did not answer with a legal action within its limits.
    """
    message = request_message(request, clock=seat.clock())
    answer = seat.ask(codec(message) + b"\n")
    try:
        reply = protocol.read_reply(answer, ply=request.ply)
    except BadMessage as error:
        raise BotFailed(FaultKind.PROTOCOL, str(error)) from error
    if reply.note:
        notes.append((request.ply, reply.note))
    if reply.action not in request.legal:
        notes.append((request.ply, f"not legal: {reply.action[: protocol.NOTE_CHARACTERS]!r}"))
        raise BotFailed(FaultKind.ILLEGAL_ACTION, "the action is not among the legal ones")
    return reply.action


def request_message(request: Request, *, clock: dict[str, int]) -> protocol.Message:
    """Return the message of a request."""
    return protocol.act(
        ply=request.ply,
        events=request.events,
        observation=request.observation,
        legal=request.legal,
        clock=clock,
    )


def _wait_for_pipes(seats: Mapping[int, Seat], wait_ms: int) -> list[tuple[int, int]]:
    """Wait at most `wait_ms`; return seat and descriptor of each pipe that is ready."""
    poller = select.poll()
    owners = {}
    for index, seat in seats.items():
        for descriptor, events in seat.pipes.open.items():
            poller.register(descriptor, events)
            owners[descriptor] = index
    return [(owners[descriptor], descriptor) for descriptor, _ in poller.poll(wait_ms)]
