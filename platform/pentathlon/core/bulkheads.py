"""Keeps the failure of one thing from holding back the others, as a ship's bulkheads keep water.

A step of the reconciler works on many things: tournaments, pools, seasons. One that fails waits
alone, longer after each failure, and is logged once when it begins to fail and once when it works
again. An outage concerns all of them, and ends the step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar
from weakref import WeakSet

import structlog

from pentathlon.core.outages import is_outage

FIRST_S: Final = 0.5
LONGEST_S: Final = 60.0

Key = TypeVar("Key", int, str)
Result = TypeVar("Result")

_log = structlog.stdlib.get_logger(__name__)
_all: WeakSet[Bulkheads[int] | Bulkheads[str]] = WeakSet()


class Bulkheads(Generic[Key]):
    """Runs one piece of work for each key, and remembers which of them fail."""

    def __init__(self, what: str, *, first_s: float = FIRST_S) -> None:
        """`what` names the kind of work in the log, for example "schedule of tournament"."""
        self._what = what
        self._first_s = first_s
        self._failing: dict[Key, _Wait] | None = None
        _all.add(self)

    def each(self, keys: Iterable[Key], do: Callable[[Key], Result]) -> Iterator[Result]:
        """Yield what `do` returns for each key, but nothing for those that fail or wait.

        Raises:
            Exception: an outage, which concerns all keys (`is_outage`).
        """
        for key in keys:
            yield from self._try(key, partial(do, key))

    def run(self, key: Key, do: Callable[[], Result]) -> Result | None:
        """Return what `do` returns, or None if it fails or waits.

        Raises:
            Exception: an outage, which concerns all keys (`is_outage`).
        """
        return next(iter(self._try(key, do)), None)

    def _try(self, key: Key, do: Callable[[], Result]) -> Sequence[Result]:
        failing = self._read_failing()
        wait = failing.get(key)
        if wait is not None and time.monotonic() < wait.until:
            return ()
        try:
            result = do()
        except Exception as error:
            if is_outage(error):
                raise
            self._note_failure(key, wait, error)
            return ()
        if failing.pop(key, None) is not None:
            self.works_again(key)
            _log.info("works again", what=self._what, key=key)
        return (result,)

    def forget(self) -> None:
        """Try everything again at once."""
        self._failing = None

    def known_to_fail(self) -> Iterable[Key]:
        """Return what failed when another process did this work; nothing is known here."""
        return ()

    def fails(self, key: Key, error: Exception) -> None:
        """Tell those whom a failure concerns; called each time that a thing fails."""

    def works_again(self, key: Key) -> None:
        """Tell those whom it concerns that a failure is over."""

    def _read_failing(self) -> dict[Key, _Wait]:
        if self._failing is None:
            self._failing = {key: _Wait(self._first_s, 0.0) for key in self.known_to_fail()}
        return self._failing

    def _note_failure(self, key: Key, wait: _Wait | None, error: Exception) -> None:
        if wait is None:
            _log.error(
                "does not work, trying again",
                what=self._what,
                key=key,
                reason=repr(error),
                exc_info=error,
            )
        length_s = self._first_s if wait is None else min(2 * wait.length_s, LONGEST_S)
        self._read_failing()[key] = _Wait(length_s, time.monotonic() + length_s)
        self.fails(key, error)


def forget_failures() -> None:
    """Try everything again at once, in all steps; for tests."""
    for bulkheads in _all:
        bulkheads.forget()


@dataclass(frozen=True, slots=True)
class _Wait:
    """The backoff of one thing that fails."""

    length_s: float
    until: float
