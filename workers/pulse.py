"""Says again and again that a worker is there, from a thread of each of its slots."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import structlog
from django.db import InterfaceError, OperationalError, connection

from pentathlon.matches.fleet import BEAT_S, announce_worker, beat, note_draining
from pentathlon.matches.needs import Announcement
from workers.drain import Drain
from workers.starved_host import Starvation

_TICK_S = 0.25
_AWAY = (InterfaceError, OperationalError)

_log = structlog.stdlib.get_logger(__name__)


class Pulse:
    """The heart-beat of a worker; a database that is away is told of once."""

    def __init__(
        self,
        announced: Callable[[], Announcement],
        drain: Drain,
        *,
        host: Starvation | None = None,
    ) -> None:
        self._announced = announced
        self._said: Announcement | None = None
        """What the database was told, as far as this slot knows."""
        self._drain = drain
        self._host = host or Starvation(slots=1)
        self._over = threading.Event()
        self._is_failing = False
        self._thread = threading.Thread(target=self._run, name="pulse", daemon=True)

    def start(self) -> None:
        """Announce the worker and go on until it is asked to stop."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        due = time.monotonic()
        try:
            while not self._drain.is_asked:
                if time.monotonic() >= due or self._has_news():
                    due = time.monotonic() + BEAT_S
                    self._beat()
                if self._over.wait(_TICK_S):
                    return
            self._note_draining()
        finally:
            connection.close()

    def _has_news(self) -> bool:
        return self._said is not None and self._said != self._announced()

    def _beat(self) -> None:
        """Say that the worker is there, and what it offers unless the database knows that."""
        told = self._announced()
        try:
            if self._said != told or not self._beat_once(told.name):
                announce_worker(told)
                self._beat_once(told.name)
        except _AWAY as error:
            self._said = None
            self._note_failure(error)
            return
        self._said = told
        self._is_failing = False

    def _beat_once(self, name: str) -> bool:
        host = self._host
        return beat(name=name, starved=host.share(), held_slots=host.held_slots)

    def _note_draining(self) -> None:
        try:
            note_draining(name=self._announced().name)
        except _AWAY as error:
            self._note_failure(error)

    def _note_failure(self, error: Exception) -> None:
        connection.close()
        if not self._is_failing:
            _log.warning("worker not announced", reason=str(error).strip())
        self._is_failing = True
