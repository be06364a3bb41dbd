"""A world in which time passes only when somebody waits, with bots that follow a script."""

from enum import StrEnum
from typing import NamedTuple

import pytest

from pentathlon_engines.match import launcher
from pentathlon_engines.match.bot_pipes import BotEnded
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.seat import Seat


class Does(StrEnum):
    """What a bot does for a while."""

    RUN = "run"
    WAIT = "wait"
    """It could run, but its host has no time for it."""
    SLEEP = "sleep"
    DISK = "disk"
    FROZEN = "frozen"
    """The whole host stands still, and so do we."""


class Span(NamedTuple):
    """One thing that a bot does, and for how long."""

    does: Does
    seconds: float


class World:
    """The clock that seats and bots of a test share."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.stops: list[tuple[float, float]] = []
        """The beginning and the end of each time in which everything stands still."""

    def monotonic(self) -> float:
        """Return the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass; who waits into a standstill wakes up after it."""
        until = self.now + seconds
        for begin, end in self.stops:
            if self.now <= begin < until:
                until += end - begin
        self.now = until


class ScriptedBot:
    """A process that does what its script says from the moment it is asked."""

    stdin = stdout = stderr = -1

    def __init__(self, world: World) -> None:
        self.world = world
        self.spans: list[Span] = []
        self.began = world.now
        self.cpu_before_s = 0.0
        self.signals: list[str] = []
        self.is_killed = False
        """Whether somebody on the host kills it before it answers."""

    def do(self, *spans: Span) -> None:
        """Begin with a script; it answers at its end."""
        self.cpu_before_s = self.cpu_s()
        self.began, self.spans = self.world.now, list(spans)
        at = self.began
        for span in spans:
            if span.does is Does.FROZEN:
                self.world.stops.append((at, at + span.seconds))
            at += span.seconds

    @property
    def answers_at(self) -> float:
        """When the script is over."""
        return self.began + sum(span.seconds for span in self.spans)

    def cpu_s(self) -> float:
        """Return what it has run."""
        left, used = self.world.now - self.began, self.cpu_before_s
        for does, seconds in self.spans:
            if does is Does.RUN:
                used += min(seconds, max(0.0, left))
            left -= seconds
        return used

    def awake_threads(self, known: launcher.Awake = launcher.NOBODY) -> launcher.Awake:
        """Return its one thread, unless that sleeps."""
        left, sleeps = self.world.now - self.began, 0
        for does, seconds in self.spans:
            # The kernel counts a wait when it begins.
            sleeps += does in {Does.SLEEP, Does.DISK}
            if left < seconds:
                thread = launcher.AwakeThread(sleeps=sleeps, is_on_disk=does is Does.DISK)
                return {} if does is Does.SLEEP else {1: thread}
            left -= seconds
        return {}

    def pause(self) -> None:
        """Note it."""
        self.signals.append("stop")

    def resume(self) -> None:
        """Note it."""
        self.signals.append("go")

    def release(self) -> None:
        """Note it."""
        self.signals.append("go")

    def breach(self) -> launcher.Breach | None:
        """Break no limit."""
        return None

    def stop(self) -> launcher.Usage:
        """End it."""
        return launcher.Usage(cpu_s=self.cpu_s(), wall_s=0.0, memory_peak_mb=1.0, exit_status=-9)

    def verdict(self, usage: launcher.Usage) -> launcher.Breach | None:
        """Explain nothing."""
        if self.is_killed:
            raise launcher.EndedFromOutside(seat=0)
        return launcher.Breach(kind=FaultKind.CRASH, detail="ended")


class ScriptedPipes:
    """Pipes through which a scripted bot answers at the end of its script."""

    def __init__(self, bot: ScriptedBot, line: bytes = b"answer") -> None:
        self.bot = bot
        self.line: bytes | None = line

    def send(self, line: bytes) -> None:
        """Take whatever is sent."""

    def refuse_early_output(self) -> None:
        """Accept."""

    def drain_log(self) -> None:
        """Have none."""

    def wait(self, timeout_ms: int) -> None:
        """Let the time pass that is left until the answer, or less."""
        left_s = max(0.0, self.bot.answers_at - self.bot.world.now)
        self.bot.world.sleep(min(left_s, timeout_ms / 1000))

    def take_line(self) -> bytes | None:
        """Return the answer once it has come."""
        # Sums of seconds are not exact.
        if self.bot.world.now < self.bot.answers_at - 1e-9:
            return None
        if self.bot.is_killed:
            raise BotEnded
        return self.line


def seat_of(bot: ScriptedBot, limits: Limits, *, is_blamed: bool = False) -> Seat:
    """Return a scripted bot at the table."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pentathlon_engines.match.seat.Pipes", lambda *_: ScriptedPipes(bot))
        return Seat(bot, limits, is_blamed=is_blamed)


def use_world(patch: pytest.MonkeyPatch, world: World) -> None:
    """Let seats live in this world."""
    patch.setattr("pentathlon_engines.match.seat.time", world)
