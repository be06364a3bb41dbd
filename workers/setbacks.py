"""How long a slot takes no matches after its host has failed it, so that others get them first."""

from __future__ import annotations

from typing import Final

from workers.drain import Drain

LONGEST_S: Final = 30.0
FIRST_S: Final = 1.0
LASTING: Final = 3
"""After every so many failures in a row, a slot is closed and opened anew."""


class Setbacks:
    """Failures of the host in a row.

    A match counts only three of them. A host whose disk is full fails within a moment, and would
    otherwise be the first to take every match again.
    """

    def __init__(self, *, first_s: float = FIRST_S) -> None:
        self._first_s = first_s
        self._in_a_row = 0

    def note(self, *, failed: bool) -> None:
        """Count a failure, or forget them all after something that went well."""
        self._in_a_row = self._in_a_row + 1 if failed else 0

    @property
    def is_lasting(self) -> bool:
        """Whether it is time to begin anew, now and again while the failures go on."""
        return self._in_a_row > 0 and self._in_a_row % LASTING == 0

    @property
    def pause_s(self) -> float:
        """How long to take nothing: nothing has failed, no time; else longer every time."""
        if not self._in_a_row:
            return 0.0
        return min(LONGEST_S, self._first_s * 2.0 ** (self._in_a_row - 1))

    def rest(self, drain: Drain) -> None:
        """Wait that long, unless the worker is asked to stop."""
        drain.rest(self.pause_s)
