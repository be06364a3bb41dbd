"""Describes a worker to the platform, and tells it every few seconds that the worker lives."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import structlog

from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import HEARTBEAT_S, Announcement
from pentathlon_engines import GAMES
from pentathlon_engines.builds import build_name, source_name
from workers.drain import Drain
from workers.host.cpu_pressure import Starvation
from workers.host.runtimes import known_runtimes
from workers.port import Platform, PlatformAway
from workers.sandbox.files.runtime import shows_compiled
from workers.sandbox.levels import level_of
from workers.sandbox.probe import Probe

_TICK_S = 0.25
_GOODBYE_S = 3.0

_log = structlog.stdlib.get_logger(__name__)


def describe_worker(probe: Probe | None, *, slots: int) -> Announcement:
    """Describe the worker whose parent process this is."""
    return Announcement(
        name=f"{socket.gethostname()}/{os.getpid()}"[-76:],
        slots=slots,
        games={key: game.info.version for key, game in GAMES.items()},
        runtimes=known_runtimes(probe),
        sandbox=level_of(probe).value,
        layers=[] if probe is None else probe.to_json()["layers"],
        version=_offered_build(probe),
        began_s=time.monotonic(),
    )


def _offered_build(probe: Probe | None) -> str:
    """Return the build of the engines that this worker offers to bots."""
    has_it = probe is None or shows_compiled()
    return build_name() if has_it else source_name(build_name())


class Heartbeat:
    """The heartbeat of a worker, from a thread of each slot.

    It goes on whatever happens: a worker that falls silent gets no work. It logs a failure once.
    """

    def __init__(
        self,
        announced: Callable[[], Announcement],
        drain: Drain,
        *,
        platform: Platform,
        host: Starvation | None = None,
    ) -> None:
        self._announced = announced
        self._platform = platform
        self._last: Announcement | None = None
        """The last announcement that this slot knows to be with the platform."""
        self._drain = drain
        self._host = host or Starvation(slots=1)
        self._over = threading.Event()
        self._is_failing = False
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Announce the worker, then beat until it is asked to stop."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._over.set()
        self._thread.join()

    def wait(self) -> None:
        """Wait briefly for a worker that was asked to stop to announce it."""
        self._thread.join(_GOODBYE_S)

    def _run(self) -> None:
        due = time.monotonic()
        try:
            while not self._drain.is_asked:
                if time.monotonic() >= due or self._has_news():
                    due = time.monotonic() + HEARTBEAT_S
                    self._beat()
                if self._over.wait(_TICK_S):
                    return
            self._note_draining()
        finally:
            self._platform.leave_thread()

    def _has_news(self) -> bool:
        return self._last is not None and self._last != self._announced()

    def _beat(self) -> None:
        """Send a heartbeat, and the announcement too unless the platform has it."""
        announcement = self._announced()
        try:
            if self._last != announcement or not self._beat_once(announcement.name):
                self._platform.announce(announcement)
                self._beat_once(announcement.name)
        except Exception as error:
            self._last = None
            self._note_failure(error)
            return
        self._last = announcement
        self._is_failing = False

    def _beat_once(self, name: str) -> bool:
        host = self._host
        starved, held_slots = host.share(), host.held_slots
        return self._platform.beat(name=name, starved=starved, held_slots=held_slots)

    def _note_draining(self) -> None:
        try:
            self._platform.note_draining(self._announced().name)
        except Exception as error:
            self._note_failure(error)

    def _note_failure(self, error: Exception) -> None:
        is_known = isinstance(error, PlatformAway | DomainError)
        if not self._is_failing:
            _log.warning(
                "worker not announced", reason=str(error), exc_info=None if is_known else error
            )
        self._is_failing = True
        if not is_known:
            # Whatever state the connection of this thread is in, the next beat gets a new one.
            with suppress(Exception):
                self._platform.leave_thread()
