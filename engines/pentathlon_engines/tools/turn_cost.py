"""Measure the cost of a turn against a raw round trip through the same pipes."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.match import protocol
from pentathlon_engines.match.launcher import BotCommand, BotProcess, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.seat import Seat

_ECHO = """
import os
answer = b'{"action": "add donkey b2"}\\n'
os.read(0, 65536)
os.write(1, b'{"type": "ready"}\\n')
while os.read(0, 65536):
    os.write(1, answer)
"""
_LIMITS = Limits(match_cpu_s=3600)


class TurnCost(NamedTuple):
    """Medians in microseconds."""

    raw_us: float
    """The time of one write and one read with a bot that answers at once."""
    turn_us: float
    """The same plus message, deadline, CPU clock, pause and checks of the answer."""

    @property
    def ratio(self) -> float:
        """How many raw round trips one turn costs."""
        return self.turn_us / self.raw_us


def measure_turn_cost(
    launcher: Launcher,
    *,
    turns: int = 2000,
    request: protocol.Message,
    codec: protocol.Codec = protocol.encode,
) -> TurnCost:
    """Measure `turns` round trips and as many turns with a bot that answers at once.

    Pin the process to one core first, or you measure how long it takes to wake the other core.
    """
    with TemporaryDirectory() as folder:
        Path(folder, "main.py").write_text(_ECHO)
        argv = [*LANGUAGES["python"].argv[:-1], "{bot}/main.py"]
        process = launcher.start(
            BotCommand(folder=Path(folder), argv=argv), seat=0, limits=_LIMITS
        )
        seat = Seat(process, _LIMITS)
        seat.await_ready(b"{}\n")
    try:
        line = codec(request) + b"\n"
        full = _median_us(lambda: _turn(seat, request, codec), turns)
        process.resume()
        for descriptor in (process.stdin, process.stdout):
            os.set_blocking(descriptor, True)
        bare = _median_us(lambda: _round_trip(process, line), turns)
    finally:
        process.stop()
    return TurnCost(bare, full)


def _turn(seat: Seat, request: protocol.Message, codec: protocol.Codec) -> None:
    request["clock"] = seat.clock()
    protocol.read_reply(seat.ask(codec(request) + b"\n"), ply=0)


def _round_trip(process: BotProcess, line: bytes) -> None:
    os.write(process.stdin, line)
    os.read(process.stdout, 65536)


def _median_us(action: Callable[[], None], turns: int) -> float:
    times = []
    for _ in range(turns):
        started = time.perf_counter_ns()
        action()
        times.append(time.perf_counter_ns() - started)
    return median(times) / 1000
