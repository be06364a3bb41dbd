"""Keeps matches moving: gives lost ones back, publishes waiting ones, applies and closes results.

Any number of reconcilers may run; a lease row lets one of them work at a time. Every step may be
repeated, or cut off anywhere.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final
from uuid import uuid4

import structlog
from django.db import InterfaceError, OperationalError, close_old_connections
from kombu.exceptions import OperationalError as BrokerAway
from redis import RedisError

from pentathlon.common.services import drop_lease, take_lease

NAME: Final = "reconcile"
LEASE_TTL_S: Final = 5.0
PAUSE_S: Final = 0.5
LONGEST_PAUSE_S: Final = 10.0

Step = Callable[[], object]

_AWAY = (BrokerAway, InterfaceError, OperationalError, OSError, RedisError)
_log = structlog.stdlib.get_logger(__name__)


class Reconciler:
    """One copy of the loop; the steps are done in their order, each whatever became of the others.

    An outage costs one line in the log when it starts and one when it is over.
    """

    def __init__(
        self, steps: Mapping[str, Step], *, pause_s: float = PAUSE_S, ttl_s: float = LEASE_TTL_S
    ) -> None:
        self._steps = steps
        self._pause_s = pause_s
        self._ttl_s = ttl_s
        self._holder = f"{socket.gethostname()[:40]}/{os.getpid()}/{uuid4().hex[:8]}"
        self._failing: set[str] = set()
        self._is_leader = False

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, more slowly while something fails."""
        pause_s = self._pause_s
        while not stop.wait(pause_s):
            healthy = self.tick()
            pause_s = self._pause_s if healthy else min(2 * pause_s, LONGEST_PAUSE_S)
        with suppress(*_AWAY):
            drop_lease(name=NAME, holder=self._holder)

    def tick(self) -> bool:
        """Do every step once if this copy has the lease; return whether nothing failed."""
        if not self._attempt("lease", self._take_lease):
            return False
        if not self._is_leader:
            return True
        outcomes = [self._attempt(name, step) for name, step in self._steps.items()]
        return all(outcomes)

    def _take_lease(self) -> None:
        had_it, self._is_leader = self._is_leader, False
        self._is_leader = take_lease(name=NAME, holder=self._holder, ttl_s=self._ttl_s)
        if self._is_leader and not had_it:
            _log.info("reconciling", holder=self._holder)

    def _attempt(self, name: str, step: Step) -> bool:
        try:
            step()
        except _AWAY as error:
            self._note_failure(name, reason=str(error).strip().partition("\n")[0])
            close_old_connections()
            return False
        except Exception as error:  # one broken tournament must not stop all the others
            self._note_failure(name, reason=repr(error), exc_info=True)
            return False
        if name in self._failing:
            self._failing.remove(name)
            _log.info("works again", step=name)
        return True

    def _note_failure(self, name: str, *, reason: str, exc_info: bool = False) -> None:
        if name not in self._failing:
            self._failing.add(name)
            _log.error("does not work, trying again", step=name, reason=reason, exc_info=exc_info)
