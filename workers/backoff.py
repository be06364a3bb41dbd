"""Backoff of a slot after its host has failed, so that other slots get the matches first."""

from __future__ import annotations

from typing import Final

from workers.drain import Drain

LONGEST_S: Final = 30.0
FIRST_S: Final = 1.0
_DOUBLINGS: Final = 20
"""More doublings than any pause needs; a host may fail for days."""
PERSISTENT: Final = 3
"""A slot is closed and opened again after each run of this many failures."""


class Backoff:
    """Exponential backoff over consecutive failures of the host.

    A match survives only three failures. Without a backoff, a host with a full disk, which fails
    within a moment, would be the first to take every match again.
    """

    def __init__(self, *, first_s: float = FIRST_S) -> None:
        self._first_s = first_s
        self._in_a_row = 0

    def record(self, *, failed: bool) -> None:
        """Count a failure, or reset the count after a success."""
        self._in_a_row = self._in_a_row + 1 if failed else 0

    @property
    def is_persistent(self) -> bool:
        """Whether it is time to open the slot again; true at intervals while the failures last."""
        return self._in_a_row > 0 and self._in_a_row % PERSISTENT == 0

    @property
    def pause_s(self) -> float:
        """How long to wait: 0 after a success, twice as long after each failure."""
        if not self._in_a_row:
            return 0.0
        return min(LONGEST_S, self._first_s * 2.0 ** min(self._in_a_row - 1, _DOUBLINGS))

    def wait(self, drain: Drain) -> None:
        """Wait for `pause_s`, or until the worker is asked to stop."""
        drain.wait(self.pause_s)
