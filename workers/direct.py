"""The platform through its database, for workers on the platform's own machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from pentathlon import work
from pentathlon.bots.archives import find_files
from pentathlon.core.errors import DomainError
from pentathlon.core.outages import is_outage
from pentathlon.core.schema import wait_for_schema
from pentathlon.env import BadEnvironment
from pentathlon.fleet.announcements import PLAY_MATCHES, Announcement
from pentathlon.fleet.capabilities import Capabilities, least_sandbox
from pentathlon.fleet.tokens import announce_worker, mark_draining, record_heartbeat
from pentathlon.live.frames import (
    ANSWER_S,
    IDLE_S,
    WATCHED_S,
    FrameSender,
    friendly_channel,
    lane_channel,
    match_channel,
)
from pentathlon.live.reports import WatchedMatch, WatchedMatches
from pentathlon.matches.endings import load_followers
from pentathlon.matches.jobs import Claimed, Job, Outcome, SeatJob
from pentathlon.matches.uploads import services
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.launcher import SandboxLevel
from pentathlon_engines.match.limits import Limits
from workers.port import Lease, PlatformAway, Play


@contextmanager
def asking() -> Iterator[None]:
    """Raise `PlatformAway` if the database is away."""
    try:
        yield
    except (DatabaseError, InterfaceError) as error:
        if not is_outage(error):
            raise
        close_old_connections()
        raise PlatformAway(str(error).strip()) from error


def open_platform() -> DirectPlatform:
    """Wait for the database and return the platform behind it: `up` starts a worker beside it.

    Raises:
        BadEnvironment: this is production.
    """
    if settings.PRODUCTION:
        raise BadEnvironment(
            "DATABASE_URL",
            "must not be known where bots of others run. Make a token by `python3 manage.py "
            "worker_token create NAME`, set PENTATHLON_SERVER and PENTATHLON_WORKER_TOKEN_FILE.",
        )
    wait_for_schema()
    load_followers()
    return DirectPlatform(broker=settings.REDIS_URL, least_sandbox=least_sandbox())


class DirectPlatform:
    """Calls the services of the platform; raises `PlatformAway` when the database is away.

    It draws what spectators see and gives it to the broker, if there is one.
    """

    look_s = 0.5
    beat = staticmethod(asking()(record_heartbeat))
    note_draining = staticmethod(asking()(mark_draining))
    archive = staticmethod(asking()(find_files))

    def __init__(
        self,
        *,
        broker: str | None = None,
        answer_s: float = ANSWER_S,
        least_sandbox: SandboxLevel = SandboxLevel.NAMESPACES,
    ) -> None:
        self.has_audience = broker is not None
        self.least_sandbox = least_sandbox
        self._sender = FrameSender(broker or "redis://", answer_s=answer_s)
        self._watched = WatchedMatches(most=1)

    @asking()
    def announce(self, announcement: Announcement) -> None:
        """Announce this worker and what it can play."""
        announce_worker(announcement)

    @asking()
    def claim(
        self,
        ids: Sequence[int],
        *,
        slot: str,
        announcement: Announcement,
        task: str = PLAY_MATCHES,
        is_lent: bool = False,
    ) -> Sequence[Any]:  # Any: of the kind of this task
        """Claim those of these that still wait and that this worker may do."""
        capabilities = Capabilities.of(announcement)
        return work.claim(ids, task=task, worker=slot, capabilities=capabilities, is_lent=is_lent)

    @asking()
    def publish_again(self, ids: Collection[int], *, task: str = PLAY_MATCHES) -> None:
        """Leave these to other workers."""
        work.publish_again(ids, task=task)

    @asking()
    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        """Renew leases of one kind of work; return the ids of what this worker has lost."""
        plies = {lease.job.token: (lease.job.id, lease.ply) for lease in leases}
        return work.renew(plies, task=leases[0].job.task)

    @asking()
    def hand_in(self, results: Sequence[Outcome]) -> list[DomainError | None]:
        """Hand in results; return for each the reason of its refusal, or None."""
        return work.accept(results)

    @asking()
    def give_back(
        self, job: Claimed, *, reason: str = "", has_failed: bool = False, **cause: Any
    ) -> bool:  # Any: as the port has it
        """Give work back for others to do; return False if its lease was lost."""
        return work.give_back(
            job.id, job.token, task=job.task, reason=reason, has_failed=has_failed, **cause
        )

    @asking()
    def has_waiting_matches(self) -> bool:
        """Return whether a match waits for a slot."""
        return work.has_waiting_matches()

    def show(self, job: Job, events: Sequence[Event]) -> float:
        """Show spectators where a match stands; return in how many seconds to show it again."""
        frame = self._watched.frame(job.token, events, begin=partial(_begin, job))
        is_watched = self._sender.send(frame=frame, match_id=job.match_id)
        return WATCHED_S if is_watched else IDLE_S

    def note_changes(self, jobs: Sequence[Play]) -> None:
        """Notify the watchers of these matches and friendlies to read the database."""
        self._sender.send(looks=[channel for job in jobs for channel in _channels(job)])

    @asking()
    def built_files(self, job: Job, seat: SeatJob) -> str:
        """Return the hash of the build of this seat's upload; empty if it is not built yet."""
        return services.built_files(services.Building.of(job, seat))

    @asking()
    def note_build_log(self, job: Job, seat: SeatJob, log: str) -> None:
        """Show the author what the build has written so far."""
        services.note_log(services.Building.of(job, seat), log=log)

    @asking()
    def keep_build(self, job: Job, seat: SeatJob, built: CheckedArchive) -> str:
        """Store the files of a build and return the hash of those that count."""
        return services.keep(services.Building.of(job, seat), built=built, is_trusted=True)

    @asking()
    def reject_build(self, job: Job, seat: SeatJob, *, reason: str, log: str) -> None:
        """Reject an upload whose build fails through its own fault."""
        services.reject(services.Building.of(job, seat), reason=reason, log=log)

    def answers(self) -> bool:
        """Return whether the database answers."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except (DatabaseError, InterfaceError):
            connection.close()
            return False
        return True

    def hand_in_unsent(self) -> int:
        """Return 0: whatever the database has not taken is played again."""
        return 0

    @property
    def has_refused(self) -> bool:
        """Return False: who knows the database may work."""
        return False

    def leave_thread(self) -> None:
        """Close the connection of the calling thread."""
        connection.close()


def _begin(job: Job) -> WatchedMatch:
    return WatchedMatch(
        game=job.game,
        seats=len(job.seats),
        options=job.options,
        limits=Limits.from_json(job.limits),
        attempt=job.attempt,
        is_trusted=True,  # the referee has applied these events
    )


def _channels(job: Play) -> Iterator[str]:
    if not isinstance(job, Job):
        yield friendly_channel(job.id)
        return
    yield match_channel(job.match_id)
    if job.lane:
        yield lane_channel(job.lane)
