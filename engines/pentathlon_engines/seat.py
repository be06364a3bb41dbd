"""A bot at the table: it is started, asked, timed, paused and sent away here."""

from __future__ import annotations

import time
from typing import Final

from pentathlon_engines.endings import manner_of_end
from pentathlon_engines.errors import BadMessage
from pentathlon_engines.faults import FaultKind
from pentathlon_engines.launcher import BotProcess, Usage
from pentathlon_engines.limits import Limits
from pentathlon_engines.pipes import BotEnded, BotFailed, Pipes
from pentathlon_engines.protocol import read_ready
from pentathlon_engines.trace import Trace

TICK_MS: Final = 20
"""How often a thinking bot's CPU clock and the launcher's limits are looked at."""
_TICK_S: Final = TICK_MS / 1000


class Seat:
    """One bot with its clocks. Whatever it does wrong is raised as `BotFailed`."""

    __slots__ = (
        "_cpu_mark_s",
        "_ended",
        "_is_asked",
        "_limits",
        "_next_tick",
        "_process",
        "_usage",
        "cpu_s",
        "last_cpu_s",
        "last_wall_s",
        "pipes",
        "requests",
        "wall_s",
    )

    def __init__(self, process: BotProcess, limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self._cpu_mark_s = 0.0
        self._next_tick = 0.0
        self._usage: Usage | None = None
        self._is_asked = False
        self._ended = False
        self.pipes = Pipes(process, limits)
        self.cpu_s = 0.0
        """CPU time of all answered requests together; the start does not count."""
        self.wall_s = 0.0
        self.last_cpu_s = 0.0
        self.last_wall_s = 0.0
        self.requests = 0

    def is_ready(self, deadline: float) -> bool:
        """Say whether `ready` has come; then the bot waits, paused, to be asked."""
        line = self.pipes.take_line()
        if line is None:
            self._check_start(deadline)
            return False
        try:
            read_ready(line)
        except BadMessage as error:
            raise BotFailed(FaultKind.PROTOCOL, str(error)) from error
        self._process.pause()
        self._cpu_mark_s = self._process.cpu_s()
        return True

    def await_ready(self, hello: bytes) -> None:
        """Greet a bot that starts alone, and wait until it is ready."""
        self.pipes.send(hello)
        deadline = time.monotonic() + self._limits.startup_wall_s
        while not self.is_ready(deadline):
            try:
                self.pipes.wait(TICK_MS)
            except BotEnded:
                raise self._explain_end(FaultKind.STARTUP) from None

    def ask(self, line: bytes) -> bytes:
        """Put a request to the bot and return its answer; the bot runs only meanwhile."""
        self._is_asked = True
        self.requests += 1
        self.last_cpu_s = self.last_wall_s = 0.0
        try:
            self.pipes.refuse_early_output()
            answer = self._let_think(line)
        except BotEnded:
            raise self._explain_end(FaultKind.CRASH) from None
        self._charge()
        self._is_asked = False
        return answer

    def tell(self, line: bytes) -> None:
        """Send a message that needs no answer and let the bot run."""
        self._process.resume()
        self.pipes.send(line)

    def clock(self) -> dict[str, int]:
        """Return what the bot may still use and has used, in milliseconds, for its request."""
        limits = self._limits
        match_left_s = max(0.0, limits.match_cpu_s - self.cpu_s)
        return {
            "cpu_left_ms": int(1000 * min(limits.action_cpu_s, match_left_s)),
            "wall_left_ms": int(1000 * limits.action_wall_s),
            "match_cpu_left_ms": int(1000 * match_left_s),
            "match_cpu_used_ms": round(1000 * self.cpu_s),
            "match_wall_used_ms": round(1000 * self.wall_s),
            "last_cpu_ms": round(1000 * self.last_cpu_s),
            "last_wall_ms": round(1000 * self.last_wall_s),
        }

    def hear(self, descriptor: int) -> None:
        """Move what one pipe of a starting bot has."""
        try:
            self.pipes.handle(descriptor)
        except BotEnded:
            raise self._explain_end(FaultKind.STARTUP) from None

    def is_gone(self, descriptor: int) -> bool:
        """Move what one pipe has after the match; say whether there is no more to wait for."""
        try:
            self.pipes.handle(descriptor)
        except (BotEnded, BotFailed):
            return True
        return False

    def stop(self) -> Usage:
        """End the bot, keeping the rest of its log; idempotent."""
        if self._usage is None:
            self.pipes.drain_log()
            self._usage = self._process.stop()
        return self._usage

    def trace(self) -> Trace:
        """Stop the bot and return what passed last between it and the referee."""
        cpu_s = self.last_cpu_s
        if self._is_asked:
            # No answer came, so nothing was charged: all since the request counts.
            cpu_s = max(0.0, self.stop().cpu_s - self._cpu_mark_s)
        return Trace(
            lines=self.pipes.last_lines(),
            requests=self.requests,
            cpu_ms=round(1000 * cpu_s),
            wall_ms=round(1000 * self.last_wall_s),
            stdout_bytes=self.pipes.stdout_bytes,
            stderr_bytes=self.pipes.stderr_bytes,
            ended=self._ended,
        )

    def _explain_end(self, kind: FaultKind) -> BotFailed:
        self._ended = True
        usage = self.stop()
        breach = self._process.verdict(usage)
        if breach is not None:
            return BotFailed(breach.kind, breach.detail)
        return BotFailed(kind, f"the process {manner_of_end(usage.exit_status)}")

    def _let_think(self, line: bytes) -> bytes:
        started = time.monotonic()
        try:
            # First the request, then the bot: the other way round it would wake up twice.
            self.pipes.send(line)
            self._process.resume()
            return self._await_answer(started + self._limits.action_wall_s)
        finally:
            self.last_wall_s = time.monotonic() - started
            self._process.pause()

    def _await_answer(self, deadline: float) -> bytes:
        while True:
            self.pipes.wait(TICK_MS)
            line = self.pipes.take_line()
            now = time.monotonic()
            if now >= self._next_tick:
                self._tick(now)
            if line is not None:
                return line
            # An answer that has come is taken even if we were too busy to see it in time.
            if now > deadline:
                limit = f"{self._limits.action_wall_s:g} s of wall time"
                raise BotFailed(FaultKind.WALL_TIME, f"no answer within {limit}")

    def _charge(self) -> None:
        now_s = self._process.cpu_s()
        self.last_cpu_s = now_s - self._cpu_mark_s
        self._check_cpu(self.last_cpu_s)
        self._cpu_mark_s = now_s
        self.cpu_s += self.last_cpu_s
        self.wall_s += self.last_wall_s

    def _tick(self, now: float) -> None:
        self._next_tick = now + _TICK_S
        self._check_cpu(self._process.cpu_s() - self._cpu_mark_s)
        self._check_breach()

    def _check_start(self, deadline: float) -> None:
        now = time.monotonic()
        if now > deadline:
            limit = f"{self._limits.startup_wall_s:g} s"
            raise BotFailed(FaultKind.STARTUP, f"no ready line within {limit}")
        if now >= self._next_tick:
            self._next_tick = now + _TICK_S
            self._check_breach()

    def _check_breach(self) -> None:
        breach = self._process.breach()
        if breach is not None:
            raise BotFailed(breach.kind, breach.detail)

    def _check_cpu(self, action_s: float) -> None:
        limits = self._limits
        if action_s > limits.action_cpu_s:
            used = f"used {action_s:.3f} s of CPU time for one action"
            raise BotFailed(FaultKind.CPU_TIME, f"{used}, {limits.action_cpu_s:g} s are allowed")
        match_s = self.cpu_s + action_s
        if match_s > limits.match_cpu_s:
            used = f"used {match_s:.3f} s of CPU time in the match"
            raise BotFailed(FaultKind.CPU_TIME, f"{used}, {limits.match_cpu_s:g} s are allowed")
