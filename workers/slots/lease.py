"""Renews the leases of claimed work while it is done, one piece after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

import structlog

from pentathlon.matches.jobs import RENEW_S, Claimed
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import MatchAbandoned
from workers.port import Lease, Platform, PlatformAway

SLACK_S: Final = 30.0
"""Added to the time that a bot may take, before work without progress counts as stuck."""

AGAIN_S: Final = 1.0
"""The wait before the next attempt when the platform did not answer."""

_log = structlog.stdlib.get_logger(__name__)


class LeaseKeeper:
    """Renews leases from its own thread, but only while the current work makes progress.

    It goes on while the platform is away; when the platform is back, the tokens decide.
    """

    def __init__(
        self, jobs: Sequence[Claimed], *, platform: Platform, every_s: float = RENEW_S
    ) -> None:
        self._held = {job.id: job for job in jobs}
        self._plies = dict.fromkeys(self._held, 0)
        self._platform = platform
        self._every_s = every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)
        self.begin(jobs[0])

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

    def begin(self, job: Claimed) -> None:
        """Make one the current one; raise as `note_ply` does."""
        limits = Limits.from_json(job.limits)
        self._patience_s = limits.startup_wall_s + limits.action_wall_s + SLACK_S
        self._played = job.id
        self.note_ply(0)

    def note_ply(self, ply: int) -> None:
        """Record progress of the current one; raise `MatchAbandoned` if its lease was lost."""
        self._plies[self._played] = ply
        self._progress_at = time.monotonic()
        if self._played not in self._held:
            raise MatchAbandoned(f"the lease of {self._played} was lost")

    def release(self, job: Claimed) -> None:
        """Stop renewing the lease of one that is over or given back."""
        self._held.pop(job.id, None)

    def renew(self) -> None:
        """Renew all leases at once, from the thread that waited for the platform.

        The wait counts as progress. Raises `PlatformAway` if it is still away.
        """
        self._progress_at = time.monotonic()
        self._ask()

    def _keep(self) -> None:
        pause_s = self._every_s
        try:
            while not self._over.wait(pause_s) and not self._is_stuck():
                pause_s = self._every_s if self._renew_all() else min(self._every_s, AGAIN_S)
        finally:
            self._platform.leave_thread()

    def _renew_all(self) -> bool:
        """Renew all leases; return whether the platform answered."""
        try:
            self._ask()
        except PlatformAway as error:
            _log.warning("leases not renewed", error=str(error))
            return False
        except Exception:  # the thread must outlive whatever it meets, or its work is lost
            _log.exception("leases not renewed")
            return False
        return True

    def _is_stuck(self) -> bool:
        return time.monotonic() > self._progress_at + self._patience_s

    def _ask(self) -> None:
        held = list(self._held.values())
        if not held:
            return
        leases = [Lease(job=job, ply=self._plies[job.id]) for job in held]
        for lost in self._platform.renew(leases):
            self._held.pop(lost, None)
