"""A worker that is asked to stop: its slots finish what they can and give back the rest."""

from __future__ import annotations

import mmap
import struct
import time
from collections.abc import Callable
from typing import Final

from pentathlon_engines.match.launcher import BotCommand, BotProcess, Breach, Launcher, Usage
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import MatchAbandoned

_TIME: Final = struct.Struct("d")
_TICK_S: Final = 0.1


class Drained(MatchAbandoned):
    """The worker has to end before the match does."""

    code = "drained"


class Drain:
    """A request to stop, made in the parent process of a worker, seen by those it has forked.

    Make it before they are forked. A match may go on for `grace_s` after the request.
    """

    def __init__(self, *, grace_s: float) -> None:
        self._grace_s = grace_s
        self._asked_at = mmap.mmap(-1, _TIME.size)

    def ask(self) -> None:
        """Make the request; safe in a signal handler."""
        if not self.is_asked:
            _TIME.pack_into(self._asked_at, 0, time.monotonic())

    @property
    def is_asked(self) -> bool:
        """Whether no other match should be started."""
        return self._since() > 0

    @property
    def is_over(self) -> bool:
        """Whether the match that is played has to be given back now."""
        return self.is_asked and time.monotonic() > self._since() + self._grace_s

    def wait(self, seconds: float) -> None:
        """Wait for some seconds, or until the request is made."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.is_asked:
            time.sleep(_TICK_S)

    def check(self) -> None:
        """Raise `Drained` if the match has to be given back now."""
        if self.is_over:
            raise Drained("The worker was asked to stop.")

    def _since(self) -> float:
        return float(_TIME.unpack_from(self._asked_at)[0])


class WatchingLauncher:
    """Starts bots as another launcher does; every look at one also calls `on_look`.

    What that raises ends the match even in a turn.
    """

    def __init__(self, launcher: Launcher, on_look: Callable[[], None]) -> None:
        self.level = launcher.level
        self.layers = launcher.layers
        self._launcher = launcher
        self._on_look = on_look

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        """Start a bot."""
        bot = self._launcher.start(command, seat=seat, limits=limits)
        return _WatchedBot(bot, self._on_look)


class _WatchedBot:
    """A bot with something else to be done at every look."""

    def __init__(self, bot: BotProcess, on_look: Callable[[], None]) -> None:
        self._bot = bot
        self._on_look = on_look
        self.stdin = bot.stdin
        self.stdout = bot.stdout
        self.stderr = bot.stderr
        self.cpu_s = bot.cpu_s
        self.awake_threads = bot.awake_threads
        self.pause = bot.pause
        self.resume = bot.resume

    def breach(self) -> Breach | None:
        """Return the limit that the bot has broken by now."""
        self._on_look()
        return self._bot.breach()

    def stop(self) -> Usage:
        """End the bot."""
        return self._bot.stop()

    def verdict(self, usage: Usage) -> Breach | None:
        """Explain the bot's end."""
        return self._bot.verdict(usage)
