"""Keeps the lease of a match while it is played."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Final, Protocol, Self
from uuid import UUID

import structlog
from django.db import InterfaceError, OperationalError, connection

from pentathlon.matches.jobs import Job
from pentathlon.matches.services import RENEW_S, renew_lease
from pentathlon_engines.limits import Limits
from pentathlon_engines.runner import MatchAbandoned

SLACK_S: Final = 30.0
"""On top of what a bot may take, before a match without progress counts as stuck."""

_log = structlog.stdlib.get_logger(__name__)


class Renew(Protocol):
    """Asks for more time; False means that the match is somebody else's."""

    def __call__(self, *, match_id: int, token: UUID, ply: int) -> bool: ...


class LeaseKeeper:
    """Renews a lease from a thread of its own, but only while the match makes progress.

    A database that does not answer is no reason to stop: when it is back, the token decides.
    """

    def __init__(self, job: Job, *, renew: Renew = renew_lease, every_s: float = RENEW_S) -> None:
        limits = Limits.from_json(job.limits)
        self._job = job
        self._ask = renew
        self._every_s = every_s
        self._patience_s = limits.startup_wall_s + limits.action_wall_s + SLACK_S
        self._ply = 0
        self._progress_at = time.monotonic()
        self._is_lost = False
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def note_ply(self, ply: int) -> None:
        """Take note of progress; raise `MatchAbandoned` if the match is somebody else's now."""
        if self._is_lost:
            raise MatchAbandoned(f"the lease of match {self._job.match_id} was lost")
        self._ply = ply
        self._progress_at = time.monotonic()

    def _keep(self) -> None:
        try:
            while not self._over.wait(self._every_s) and not self._is_stuck():
                if not self._renew():
                    self._is_lost = True
                    return
        finally:
            connection.close()

    def _is_stuck(self) -> bool:
        return time.monotonic() > self._progress_at + self._patience_s

    def _renew(self) -> bool:
        try:
            return self._ask(match_id=self._job.match_id, token=self._job.token, ply=self._ply)
        except (InterfaceError, OperationalError) as error:
            _log.warning("lease not renewed", match=self._job.match_id, error=str(error).strip())
            connection.close()
            return True
