"""The request to stop a worker: its slots finish what they can and give back the rest."""

from __future__ import annotations

import mmap
import struct
import time
from typing import Final

from pentathlon_engines.runner import MatchAbandoned

_TIME: Final = struct.Struct("d")
_TICK_S: Final = 0.1


class Drained(MatchAbandoned):
    """The worker has to stop before the match ends."""

    code = "drained"


class Drain:
    """A request to stop, made in the parent process of a worker and seen by all its slots.

    Make it before the slots are forked. A match may go on for `grace_s` after the request.
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
        """Whether no further match may start."""
        return self._since() > 0

    @property
    def is_over(self) -> bool:
        """Whether the current match has to be given back now."""
        return self.is_asked and time.monotonic() > self._since() + self._grace_s

    def wait(self, seconds: float) -> None:
        """Wait for some seconds, or until the request is made."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.is_asked:
            time.sleep(_TICK_S)

    def check(self) -> None:
        """Raise `Drained` if the current match has to be given back now."""
        if self.is_over:
            raise Drained("The worker was asked to stop.")

    def _since(self) -> float:
        return float(_TIME.unpack_from(self._asked_at)[0])
