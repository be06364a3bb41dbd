"""Seats a bot at the table: starts, asks, times, pauses and stops it."""

import time
from collections.abc import Callable
from typing import Final

from pentathlon_engines.errors import BadMessage
from pentathlon_engines.match.bot_pipes import BotEnded, BotFailed, Pipes
from pentathlon_engines.match.faults import FaultKind, manner_of_end
from pentathlon_engines.match.launcher import (
    Awake,
    BotCommand,
    BotProcess,
    EndedFromOutside,
    HostTooSlow,
    Usage,
)
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.protocol import read_ready
from pentathlon_engines.match.traces import Trace
from pentathlon_engines.match.unstartable import WHY, why_not_started
from pentathlon_engines.match.wall_clock import (
    Found,
    WallClock,
    compare,
    explain_sleep,
    explain_start,
    is_given_up,
    is_start_given_up,
    kept_waiting,
    time_to_look_again_s,
    time_to_look_s,
)

OUT_OF_TURN_S: Final = 0.050
"""CPU time that a paused bot may use before it is expelled.

It is charged to the bot's next request. A bot that answers and then frees the memory of its search
goes on in the kernel: 230 MiB were seen to take 15 ms.
"""
_OUT_OF_TURN_PER_REQUEST_S: Final = 0.020
_NOT_STOPPED_S: Final = 0.001
_A_MILLISECOND: Final = 0.001
_FIRST_WAIT_MS: Final = 4
"""How long we wait before we look: most answers come sooner, so until then we only time them."""


class Seat:
    """One bot with its clocks; raises `BotFailed` for its faults."""

    __slots__ = (
        "_action_cpu_ms",
        "_awake",
        "_clock",
        "_cpu_mark_s",
        "_ended",
        "_is_asked",
        "_limits",
        "_next_look",
        "_out_of_turn_s",
        "_past",
        "_paused_cpu_s",
        "_process",
        "_usage",
        "_wall_left_ms",
        "command",
        "cpu_s",
        "is_blamed",
        "last_cpu_s",
        "last_wall_s",
        "on_look",
        "pipes",
        "requests",
        "wall_s",
    )

    def __init__(self, process: BotProcess, limits: Limits, *, is_blamed: bool = False) -> None:
        self._process = process
        self._limits = limits
        self._action_cpu_ms = int(1000 * limits.action_cpu_s)
        self._cpu_mark_s = 0.0
        self._paused_cpu_s = 0.0
        self._out_of_turn_s = 0.0
        self._next_look = time.monotonic() + time_to_look_s()
        self._clock: WallClock | None = None
        self._awake: Awake = {}
        self._past = WallClock()
        self._wall_left_ms = int(1000 * min(limits.action_wall_s, limits.match_wall_s))
        self._usage: Usage | None = None
        self._is_asked = False
        self._ended = False
        self.command: BotCommand | None = None  # explains why a program could not start
        self.is_blamed = is_blamed
        """Whether other hosts have given it up or killed it; if this one does, too, it is the
        bot's fault."""
        self.on_look: Callable[[], None] | None = None
        """Called at every look while the bot starts or thinks."""
        self.pipes = Pipes(process, limits)
        self.cpu_s = 0.0
        """The CPU time of all answered requests together, without the start."""
        self.wall_s = 0.0
        """The wall time of all answered requests, without the time the bot waited for its host."""
        self.last_cpu_s = 0.0
        self.last_wall_s = 0.0
        self.requests = 0

    def is_ready(self) -> bool:
        """Return whether `ready` has come; if so, the bot is paused until its first request."""
        line = self.pipes.take_line()
        if line is None:
            self._check_start()
            return False
        try:
            read_ready(line)
        except BadMessage as error:
            raise BotFailed(FaultKind.PROTOCOL, str(error)) from error
        self._process.pause()
        self._cpu_mark_s = self._paused_cpu_s = self._process.cpu_s()
        self._clock = None
        return True

    def greet(self, hello: bytes) -> None:
        """Send the first message to a bot that starts, and start its clock."""
        self._clock = WallClock(now=time.monotonic(), cpu_s=0.0)
        self.pipes.send(hello)

    def await_ready(self, hello: bytes) -> None:
        """Greet a bot that starts alone, and wait until it is ready."""
        self.greet(hello)
        while not self.is_ready():
            try:
                self.pipes.wait(self.ms_to_look())
            except BotEnded:
                raise self._explain_end(FaultKind.STARTUP) from None

    def ms_to_look(self) -> int:
        """Return the time until the next look at a bot that starts."""
        return max(1, int(1000 * (self._next_look - time.monotonic())))

    def ask(self, line: bytes) -> bytes:
        """Send a request to the bot and return its answer; the bot runs only meanwhile.

        Raises:
            HostTooSlow: the host gave it no time to answer.
            EndedFromOutside: somebody on the host killed it.
        """
        self._is_asked = True
        self.requests += 1
        self.last_cpu_s = self.last_wall_s = 0.0
        try:
            ran_s = self._process.cpu_s() - self._cpu_mark_s
            self._out_of_turn_s += ran_s
            if self._out_of_turn_s > OUT_OF_TURN_S:
                self._check_silence(ran_s)
            self.pipes.refuse_early_output()
            answer = self._let_think(line)
        except BotEnded:
            raise self._explain_end(FaultKind.CRASH) from None
        self._charge()
        self._is_asked = False
        return answer

    def check_pause(self) -> None:
        """Look at a paused bot; raise `BotFailed` if it has run."""
        cpu_s = self._process.cpu_s()
        if cpu_s - self._cpu_mark_s > OUT_OF_TURN_S:
            raise _out_of_turn(cpu_s - self._cpu_mark_s)
        if cpu_s - self._paused_cpu_s > _NOT_STOPPED_S:
            self._paused_cpu_s = cpu_s
            self._process.pause()

    @property
    def waited_s(self) -> float:
        """How long the bot waited for its host during requests, as far as looks show."""
        return self._past.waited_s

    @property
    def looked_s(self) -> float:
        """How many seconds of the bot's requests the looks have covered."""
        return self._past.elapsed_s

    def forgive(self) -> None:
        """Give a thinking bot its wall time back, because somebody disturbed it."""
        if self._clock is not None:
            self._clock.forgive()

    def tell(self, line: bytes) -> None:
        """Send a last message, which needs no answer, and let the bot run to its end."""
        self._process.release()
        self.pipes.send(line)

    def clock(self) -> dict[str, int]:
        """Return the clock of a request: what the bot may still use, and has used."""
        match_left_ms = int(1000 * (self._limits.match_cpu_s - self.cpu_s))
        return {
            "cpu_left_ms": min(self._action_cpu_ms, match_left_ms),
            "wall_left_ms": self._wall_left_ms,
            "match_cpu_left_ms": match_left_ms,
            "match_cpu_used_ms": round(1000 * self.cpu_s),
            "match_wall_used_ms": round(1000 * self.wall_s),
            "last_cpu_ms": round(1000 * self.last_cpu_s),
            "last_wall_ms": round(1000 * self.last_wall_s),
        }

    def hear(self, descriptor: int) -> None:
        """Read from or write to a ready pipe of a bot that starts."""
        try:
            self.pipes.handle(descriptor)
        except BotEnded:
            raise self._explain_end(FaultKind.STARTUP) from None

    def is_gone(self, descriptor: int) -> bool:
        """Read a ready pipe after the match; return whether the bot has closed its output."""
        try:
            self.pipes.handle(descriptor)
        except (BotEnded, BotFailed):
            return True
        return False

    def stop(self) -> Usage:
        """Stop the bot and keep the rest of its log; idempotent."""
        if self._usage is None:
            self.pipes.drain_log()
            self._usage = self._process.stop()
        return self._usage

    def trace(self) -> Trace:
        """Return the trace; stop the bot first if it still owes an answer."""
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
        try:
            breach = self._process.verdict(usage)
        except EndedFromOutside:
            if not self.is_blamed:
                raise
            return BotFailed(kind, "was killed from outside, as on other hosts before")
        if breach is not None:
            return BotFailed(breach.kind, breach.detail)
        detail = f"the process {manner_of_end(usage.exit_status)}"
        if kind is FaultKind.STARTUP and (why := why_not_started(self.command)):
            self.pipes.note(f"{WHY}{why}")
            detail += "; its program cannot be started here"
        return BotFailed(kind, detail)

    def _let_think(self, line: bytes) -> bytes:
        started = time.monotonic()
        try:
            # First the request, then the bot: the other way round it would wake up twice.
            self.pipes.send(line)
            self._process.resume()
            self.pipes.wait(_FIRST_WAIT_MS)
            answer = self.pipes.take_line()
            now = time.monotonic()
            if answer is None:
                return self._await_answer(started)
            self.last_wall_s = now - started
            if now >= self._next_look:
                self._look_around(now)
            return answer
        finally:
            self._process.pause()

    def _await_answer(self, started: float) -> bytes:
        """Wait for a slow answer, and look at the bot from time to time."""
        clock = self._clock = WallClock(now=started, cpu_s=self._cpu_mark_s)
        due = started + time_to_look_s()
        try:
            while (answer := self._wait_to_look(due)) is None:
                self._look(clock, due=due)
                self._check_wall(clock)
                due = time.monotonic() + time_to_look_s()
        finally:
            now = time.monotonic()
            self.last_wall_s = clock.wall_s(now)
            self._past.add(clock)
            left_s = max(0.0, self._limits.match_wall_s - self._past.slept_s)
            self._wall_left_ms = int(1000 * min(self._limits.action_wall_s, left_s))
            self._clock = None
            self._awake = {}
        if now >= self._next_look:
            self._look_around(now)
        return answer

    def _wait_to_look(self, due: float) -> bytes | None:
        """Return the answer that comes before the next look, or None.

        Looks come when they are due, to fractions of a millisecond, whatever the bot writes.
        """
        while (left_s := due - time.monotonic()) > 0:
            if left_s < _A_MILLISECOND:
                time.sleep(left_s)
                break
            self.pipes.wait(int(left_s * 1000))
            if (line := self.pipes.take_line()) is not None:
                return line
        # An answer that has come is taken even if we were too busy to see it in time.
        self.pipes.wait(0)
        return self.pipes.take_line()

    def _look(self, clock: WallClock, *, due: float) -> None:
        """Record what the bot did since the last look."""
        now, cpu_s = time.monotonic(), self._process.cpu_s()
        found = Found.AWAKE if clock.has_run(now=now, cpu_s=cpu_s) else self._find()
        clock.note(now=now, cpu_s=cpu_s, due=due, found=found)
        self._look_around(now)

    def _find(self) -> Found:
        before = self._process.awake_threads()
        if not before:
            return Found.ASLEEP
        last, self._awake = self._awake, before
        if (found := compare(last, before)) is not Found.ASLEEP:
            return found
        time.sleep(time_to_look_again_s())
        after = self._process.awake_threads(before)
        if compare(before, after) is Found.AWAKE or kept_waiting(before, after):
            return Found.AWAKE
        # A start reads files for the first time, so even short waits then count as the disk's.
        is_reading = any(thread.is_on_disk for thread in before.values())
        return Found.ON_DISK if is_reading and not self._is_asked else Found.ASLEEP

    def _look_around(self, now: float) -> None:
        self._next_look = now + time_to_look_s()
        if self._is_asked:
            self._check_cpu(self._process.cpu_s() - self._cpu_mark_s)
        if (breach := self._process.breach()) is not None:
            raise BotFailed(breach.kind, breach.detail)
        if self.on_look is not None:
            self.on_look()

    def _charge(self) -> None:
        now_s = self._process.cpu_s()
        last_s = self.last_cpu_s = now_s - self._cpu_mark_s
        if last_s > self._limits.action_cpu_s or self.cpu_s + last_s > self._limits.match_cpu_s:
            self._check_cpu(last_s)
        self._cpu_mark_s = self._paused_cpu_s = now_s
        self.cpu_s += last_s
        self.wall_s += self.last_wall_s

    def _check_silence(self, ran_s: float) -> None:
        """Raise `BotFailed` if the bot has run since we paused it; short runs add up."""
        allowed_s = OUT_OF_TURN_S + _OUT_OF_TURN_PER_REQUEST_S * self.requests
        if ran_s > OUT_OF_TURN_S or self._out_of_turn_s > allowed_s:
            raise _out_of_turn(max(ran_s, self._out_of_turn_s))

    def _check_start(self) -> None:
        clock = self._clock
        if clock is None or time.monotonic() < self._next_look:
            return
        self._look(clock, due=self._next_look)
        excess = explain_start(clock, self._process.cpu_s(), self._limits)
        if excess is not None:
            raise BotFailed(FaultKind.STARTUP, excess)
        if is_start_given_up(clock, self._limits):
            raise self._give_up(FaultKind.STARTUP, clock)

    def _check_wall(self, clock: WallClock) -> None:
        if (excess := explain_sleep(clock, self._past, self._limits)) is not None:
            raise BotFailed(FaultKind.WALL_TIME, excess)
        if is_given_up(clock, self._past, self._limits):
            raise self._give_up(FaultKind.WALL_TIME, clock)

    def _give_up(self, kind: FaultKind, clock: WallClock) -> BotFailed | HostTooSlow:
        took = f"in {clock.elapsed_s:.1f} s it ran for {clock.ran_s:.1f} s"
        took += f" and slept for {clock.slept_s:.1f} s"
        if self.is_blamed:
            return BotFailed(kind, f"no answer: {took}, as on other hosts before")
        return HostTooSlow(f"The host gave a bot too little time: {took}.")

    def _check_cpu(self, action_s: float) -> None:
        limits = self._limits
        if action_s > limits.action_cpu_s:
            used = f"used {action_s:.3f} s of CPU time for one action"
            raise BotFailed(FaultKind.CPU_TIME, f"{used}, {limits.action_cpu_s:g} s are allowed")
        match_s = self.cpu_s + action_s
        if match_s > limits.match_cpu_s:
            used = f"used {match_s:.3f} s of CPU time in the match"
            raise BotFailed(FaultKind.CPU_TIME, f"{used}, {limits.match_cpu_s:g} s are allowed")


def _out_of_turn(ran_s: float) -> BotFailed:
    ran = f"ran for {ran_s:.3f} s of CPU time while other seats were to act"
    return BotFailed(FaultKind.OUT_OF_TURN, f"{ran}, {OUT_OF_TURN_S:g} s are allowed")
