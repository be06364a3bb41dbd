"""Probes of a bot: everything that a server may do to it, tried on purpose.

Later versions of the protocol may add fields and messages, positions may be long, a turn may come
late, a match may end before the bot ever acts, and the server may vanish.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from pentathlon_engines.contract.game import Game
from pentathlon_engines.match import protocol
from pentathlon_engines.match.bot_pipes import BotEnded, BotFailed
from pentathlon_engines.match.faults import Fault, manner_of_end
from pentathlon_engines.match.launcher import BotProcess, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.table import ask_for_action
from pentathlon_engines.record.answers import find_wrong_answer
from pentathlon_engines.runner import SeatBot
from pentathlon_engines.seeds import dice_of

REQUESTS: Final = 3
"""The number of requests in each probe; a short match has fewer."""
PADDING_BYTES: Final = 256 * 1024
LEGAL_ACTIONS: Final = 2_000
PAUSE_S: Final = 1.0
GRACE_S: Final = 2.0
"""How long a bot may take to exit by itself here; the platform kills it after 50 ms."""


class ProbeResult(NamedTuple):
    """The result of one probe."""

    name: str
    tried: str
    ok: bool
    is_fault: bool
    """False for a finding that the platform does not mind but the author may want to know."""
    detail: str
    answer: str | None
    """What the bot wrote and what was expected; None unless its answer was the fault."""
    log: str


class StartUse(NamedTuple):
    """The resources a bot used until it was ready."""

    cpu_s: float
    elapsed_s: float


class ProbeReport(NamedTuple):
    """All probes of a bot in one game."""

    results: list[ProbeResult]
    start: StartUse | None
    """The use of the fastest start, which the host disturbed least; None if it never was ready."""
    memory_peak_mb: float


def probe_bot(bot: SeatBot, *, game: Game, launcher: Launcher, limits: Limits) -> ProbeReport:
    """Try all probes, each with a fresh process at seat 0.

    Raises:
        LaunchFailed: the host could not start the bot.
        HostTooSlow: the host did not let it run.
    """
    results, starts, peaks = [], [], [0.0]
    for name, (tried, act) in _PROBES.items():
        session = _Session(bot, game, launcher, limits)
        results.append(session.run(name, tried, act))
        starts += [session.start] if session.start else []
        peaks.append(session.memory_peak_mb)
    fastest = min(starts, key=lambda start: start.cpu_s, default=None)
    return ProbeReport(results, fastest, max(peaks))


class _Notice(Exception):
    """Something that the platform does not mind."""


class _Session:
    """One process of the bot, alone with a server that does as it likes."""

    def __init__(self, bot: SeatBot, game: Game, launcher: Launcher, limits: Limits) -> None:
        seats = game.info.seats[0]
        self._referee = Referee(game=game, seats=seats, options=None, seed=1)
        self._facts = protocol.MatchFacts(
            game=game.info.key,
            rules=game.info.version,
            seats=seats,
            options=self._referee.state.options,
            limits=limits,
            match="probe",
            dice=dice_of(1, match="probe", seats=seats),
        )
        self._hello = protocol.hello(self._facts, seat=0, parameters=bot.command.parameters)
        self._rng = Random(1)
        self._began_s = time.monotonic()
        self._legal: list[str] = []
        self.process: BotProcess = launcher.start(bot.command, seat=0, limits=limits)
        self.seat = Seat(self.process, limits)
        self.seat.command = bot.command
        self.start: StartUse | None = None
        self.memory_peak_mb = 0.0

    def run(self, name: str, tried: str, act: Callable[[_Session], None]) -> ProbeResult:
        """Start the bot, try one probe, and stop the bot."""
        ok, is_fault, detail, failure = True, True, "ok", None
        try:
            self.seat.await_ready(protocol.encode(self._hello) + b"\n")
            elapsed_s = time.monotonic() - self._began_s
            self.start = StartUse(self.process.cpu_s(), elapsed_s)
            act(self)
        except BotFailed as error:
            ok, detail, failure = False, f"{error.kind.value}: {error.detail}", error
        except _Notice as notice:
            ok, is_fault, detail = False, False, str(notice)
        finally:
            self.memory_peak_mb = self.seat.stop().memory_peak_mb
        log = "" if ok else bytes(self.seat.pipes.log).decode(errors="replace")
        answer = None if failure is None else self._explain(failure)
        return ProbeResult(name, tried, ok, is_fault, detail, answer, log)

    def ask(self, codec: protocol.Codec, *, times: int = REQUESTS) -> None:
        """Let the bot act some times; the others act at random."""
        for _ in range(times):
            while (mover := self._referee.seat_to_ask()) not in (0, None):
                self._play_other()
            if mover is None:
                return
            request = self._referee.request()
            self._legal = request.legal
            action = ask_for_action(self.seat, request, codec=codec, notes=[])
            self._referee.accept(action, cpu_ms=0, wall_ms=0)

    def say_end(self) -> None:
        """Tell the bot that the match is over: everybody else has failed."""
        ranks = [0, *[1] * (self._facts.seats - 1)]
        self.seat.tell(protocol.encode(protocol.end(ranks=ranks, reason="fault")) + b"\n")

    def await_end(self, last_words: str) -> None:
        """Let the bot run until it exits; raise `_Notice` if it does not exit, or exits badly."""
        deadline = time.monotonic() + GRACE_S
        while time.monotonic() < deadline:
            try:
                self.seat.pipes.wait(50)
            except BotEnded:
                status = self.seat.stop().exit_status
                if status:
                    raise _Notice(f"{last_words} it {manner_of_end(status)}") from None
                return
        raise _Notice(f"{last_words} it ran on for {GRACE_S:g} s: exit then, nobody waits for you")

    def _play_other(self) -> None:
        state = self._referee.state
        text = state.text(state.random_action(self._rng))
        self._referee.request()
        self._referee.accept(text, cpu_ms=0, wall_ms=0)

    def _explain(self, failure: BotFailed) -> str | None:
        fault = Fault(failure.kind, seat=0, ply=self._referee.ply, detail=failure.detail)
        answer = find_wrong_answer(
            fault.to_json(),
            self.seat.trace(),
            limits=self._facts.limits.to_json(),
            legal=self._legal,
        )
        return None if answer is None else str(answer)


def _ask_with_unknown_fields(session: _Session) -> None:
    session.ask(
        lambda message: protocol.encode({**message, "x_unknown": {"pass": ["over", None, 1.5]}})
    )


def _ask_after_unknown_message(session: _Session) -> None:
    news = protocol.encode({"type": "x_news", "text": "später: ☂"})
    session.ask(lambda message: news + b"\n" + protocol.encode(message))


def _ask_at_length(session: _Session) -> None:
    def lengthen(message: protocol.Message) -> bytes:
        legal = message["legal"]
        repeated = legal * (LEGAL_ACTIONS // len(legal)) if isinstance(legal, list) else legal
        padding = "." * PADDING_BYTES
        return protocol.encode({**message, "legal": repeated, "x_padding": padding})

    session.ask(lengthen)


def _ask_late(session: _Session) -> None:
    time.sleep(PAUSE_S)
    session.ask(protocol.encode, times=1)
    time.sleep(PAUSE_S)
    session.ask(protocol.encode, times=1)


def _end_at_once(session: _Session) -> None:
    session.say_end()
    session.await_end("after “end”")


def _close_input(session: _Session) -> None:
    session.process.release()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        # The launcher goes on to own the descriptor, so it must stay open.
        os.dup2(nowhere, session.process.stdin)
    finally:
        os.close(nowhere)
    session.await_end("when its input had ended")


_PROBES: Final[dict[str, tuple[str, Callable[[_Session], None]]]] = {
    "unknown_fields": ("requests with unknown fields", _ask_with_unknown_fields),
    "unknown_message": ("a message of an unknown type", _ask_after_unknown_message),
    "long_request": (
        f"{PADDING_BYTES // 1024} KiB more and {LEGAL_ACTIONS:,} legal actions",
        _ask_at_length,
    ),
    "late_turn": (f"turns {PAUSE_S:g} s apart", _ask_late),
    "end_without_act": ("“end” before any request", _end_at_once),
    "end_of_input": ("the server vanishes", _close_input),
}
