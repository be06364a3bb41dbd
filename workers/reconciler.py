"""Runs the periodic steps that keep matches moving.

Any number of reconcilers may run; a row in the database makes one of them the leader. Every step
may be repeated, and interrupted anywhere.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

import structlog
from django.db import close_old_connections
from kombu.exceptions import OperationalError as BrokerAway
from redis import RedisError

from pentathlon.core.outages import is_outage
from pentathlon.core.services import RECONCILER, acquire_leadership, give_up_leadership

NAME: Final = RECONCILER
LEASE_TTL_S: Final = 5.0
PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 10.0
SWITCH_S: Final = 0.0005
"""How long a thread computes while others wait, in a process with several loops.

With Python's default of 5 ms, a loop takes five times as long while a final table is computed: it
waits that long after every query.
"""

Step = Callable[[], object]
"""A function that does some work and returns a true value if it found any."""

_AWAY: Final = (BrokerAway, OSError, RedisError)
_log = structlog.stdlib.get_logger(__name__)


class Reconciler:
    """One copy of the loop. It runs the steps in order; a failing step does not stop the others.

    An outage slows down the loop; a broken step backs off alone. Either is logged once when it
    starts and once when it is over.
    """

    def __init__(
        self,
        steps: Mapping[str, Step],
        *,
        name: str = NAME,
        pause_s: float = PAUSE_S,
        idle_s: float = PAUSE_S,
        ttl_s: float = LEASE_TTL_S,
    ) -> None:
        """`pause_s` follows a round in which a step returned something, `idle_s` any other."""
        self._steps = steps
        self._name = name
        self._pause_s = pause_s
        self._idle_s = idle_s
        self._has_worked = False
        self._ttl_s = ttl_s
        self._holder = f"{socket.gethostname()[:40]}/{os.getpid()}/{uuid4().hex[:8]}"
        self._failing: set[str] = set()
        self._waits: dict[str, _Wait] = {}
        self._is_leader = False
        self._led_until = 0.0

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, more slowly during an outage."""
        pause_s = self._pause_s
        wait_s = min(PAUSE_S, pause_s)  # a site is ready once its loops have begun
        while not stop.wait(wait_s):
            is_well = self.tick()
            wait_s = pause_s = self._pause_after(pause_s, is_well=is_well)
        with suppress(Exception):  # the lease ends by itself
            give_up_leadership(name=self._name, holder=self._holder)

    def tick(self) -> bool:
        """Run every step that is due if this copy leads; return whether all services answered."""
        if not self._keep_leadership():
            return False
        self._has_worked = False
        outcomes = [self._run_step(name) for name in self._steps]
        return all(outcomes)

    def _pause_after(self, last_s: float, *, is_well: bool) -> float:
        if not is_well:
            return min(2 * last_s, LONGEST_PAUSE_S)
        return self._pause_s if self._has_worked else self._idle_s

    def _run_step(self, name: str) -> bool:
        """Run one step unless it backs off, if we still lead after the steps before it."""
        wait = self._waits.get(name)
        if wait is not None and time.monotonic() < wait.until:
            return True
        if not self._leads():
            return True
        return self._attempt(name, self._steps[name])

    def _leads(self) -> bool:
        return self._is_leader and self._keep_leadership() and self._is_leader

    def _keep_leadership(self) -> bool:
        """Lead if nobody else does; return False if the database was needed but away."""
        if self._is_leader and time.monotonic() <= self._led_until:
            return True
        return self._attempt("leadership", self._acquire_leadership)

    def _acquire_leadership(self) -> None:
        had_it, self._is_leader = self._is_leader, False
        asked_at = time.monotonic()
        self._is_leader = acquire_leadership(
            name=self._name, holder=self._holder, ttl_s=self._ttl_s
        )
        self._led_until = asked_at + self._ttl_s / 3
        if self._is_leader and not had_it:
            _log.info("leading", work=self._name, holder=self._holder)

    def _attempt(self, name: str, step: Step) -> bool:
        """Run a step; return whether the services that it needs answered."""
        try:
            self._has_worked |= bool(step())
        except Exception as error:
            close_old_connections()
            if is_outage(error) or isinstance(error, _AWAY):
                self._note_failure(name, reason=str(error).strip().partition("\n")[0])
                return False
            # A broken step must not stop the others.
            self._note_failure(name, reason=repr(error), exc_info=True)
            self._waits[name] = _Wait.after(self._waits.get(name), shortest_s=self._pause_s)
            return True
        self._waits.pop(name, None)
        if name in self._failing:
            self._failing.remove(name)
            _log.info("works again", step=name)
        return True

    def _note_failure(self, name: str, *, reason: str, exc_info: bool = False) -> None:
        if name not in self._failing:
            self._failing.add(name)
            _log.error("does not work, trying again", step=name, reason=reason, exc_info=exc_info)


@dataclass(frozen=True, slots=True)
class _Wait:
    """The backoff of a broken step."""

    length_s: float
    until: float

    @classmethod
    def after(cls, last: _Wait | None, *, shortest_s: float) -> _Wait:
        length_s = shortest_s if last is None else min(2 * last.length_s, LONGEST_PAUSE_S)
        return cls(length_s, time.monotonic() + length_s)
