"""Waits for the site with as few requests as possible."""

import time
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed

Answer = TypeVar("Answer")

_FIRST_S: Final = 0.25
_LONGEST_S: Final = 2.0
_GROWTH: Final = 1.25
LONGEST_OUTAGE_S: Final = 60.0


class Patience:
    """Polls at growing intervals while nothing happens, up to a time limit."""

    def __init__(self, timeout_s: float, *, what: str, try_next: str) -> None:
        self._deadline = time.monotonic() + timeout_s
        self._what = what
        self._try_next = try_next
        self._pause_s = _FIRST_S
        self._has_failed = False
        """Whether the site has failed since the last look began."""
        self._out_since: float | None = None

    def looks(self) -> Iterator[None]:
        """Yield whenever it is time to poll, until the time limit."""
        while time.monotonic() < self._deadline:
            self._has_failed = False
            yield
            if not self._has_failed:
                self._out_since = None
            time.sleep(self._pause_s)
            self._pause_s = min(self._pause_s * _GROWTH, _LONGEST_S)
        raise self._time_is_up()

    def answers(self, ask: Callable[[], Answer]) -> Iterator[Answer]:
        """Yield what the site answers at each look; forgive it its failures for a while."""
        for _ in self.looks():
            try:
                answer = ask()
            except CommandFailed as error:
                self.forgive(error)
                continue
            yield answer

    def check(self) -> None:
        """Raise after the time limit; for callers that wait in another way."""
        if time.monotonic() >= self._deadline:
            raise self._time_is_up()

    def _time_is_up(self) -> CommandFailed:
        return CommandFailed(self._what, try_next=self._try_next, exit_code=HOST_OR_SERVER)

    def note_news(self) -> None:
        """Poll more often again, after a change."""
        self._pause_s = _FIRST_S

    def forgive(self, failure: CommandFailed) -> None:
        """Continue after a failure of the site for a while: it may be restarting."""
        if failure.exit_code != HOST_OR_SERVER:
            raise failure
        self._has_failed = True
        now = time.monotonic()
        self._out_since = self._out_since or now
        if now - self._out_since > LONGEST_OUTAGE_S:
            raise failure
