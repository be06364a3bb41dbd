"""The platform through its database, for workers on the platform's own machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

from django.db import DatabaseError, InterfaceError, close_old_connections, connection

from pentathlon.bots.archives import find_files
from pentathlon.core.errors import DomainError
from pentathlon.core.outages import is_outage
from pentathlon.fleet.announcements import Announcement
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.services import announce_worker, mark_draining, record_heartbeat
from pentathlon.matches.jobs import Job, SeatJob, Submission
from pentathlon.matches.leases import renew_leases
from pentathlon.matches.replays.services import accept_results
from pentathlon.matches.services import (
    claim_matches,
    fail_attempt,
    publish_again,
    return_match,
)
from pentathlon.matches.uploads import builds
from pentathlon_engines.archive.archives import CheckedArchive
from workers.port import Lease, PlatformAway


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


class DirectPlatform:
    """Calls the services of the platform; raises `PlatformAway` when the database is away."""

    beat = staticmethod(asking()(record_heartbeat))
    note_draining = staticmethod(asking()(mark_draining))
    publish_again = staticmethod(asking()(publish_again))
    archive = staticmethod(asking()(find_files))

    def announce(self, announcement: Announcement) -> None:
        """Announce this worker and what it can play."""
        with asking():
            announce_worker(announcement)

    def claim(
        self, match_ids: Sequence[int], *, slot: str, announcement: Announcement
    ) -> list[Job]:
        """Claim those of these matches that still wait and that this worker may play."""
        capabilities = Capabilities.of(announcement)
        with asking():
            return claim_matches(match_ids=match_ids, worker=slot, capabilities=capabilities)

    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        """Renew leases; return the ids of the matches that this worker has lost."""
        with asking():
            kept = renew_leases(
                {lease.job.token: (lease.job.match_id, lease.ply) for lease in leases}
            )
        return [lease.job.match_id for lease in leases if lease.job.token not in kept]

    def hand_in(self, submissions: Sequence[Submission]) -> list[DomainError | None]:
        """Hand in results; return for each the reason of its refusal, or None."""
        with asking():
            return accept_results(submissions)

    def return_match(self, job: Job, *, reason: str) -> bool:
        """Give back a match that did not fail; return False if its lease was lost."""
        with asking():
            return return_match(match_id=job.match_id, token=job.token, reason=reason)

    def fail_attempt(
        self, job: Job, *, reason: str, suspect: int | None = None, was_too_slow: bool = False
    ) -> bool:
        """Give a match back after a failure of the host; return False if its lease was lost."""
        with asking():
            return fail_attempt(
                match_id=job.match_id,
                token=job.token,
                reason=reason,
                suspect=suspect,
                was_too_slow=was_too_slow,
            )

    def built_files(self, job: Job, seat: SeatJob) -> str:
        """Return the hash of the build of this seat's upload; empty if it is not built yet."""
        with asking():
            return builds.built_files(builds.Building.of(job, seat))

    def note_build_log(self, job: Job, seat: SeatJob, log: str) -> None:
        """Show the author what the build has written so far."""
        with asking():
            builds.note_log(builds.Building.of(job, seat), log=log)

    def keep_build(self, job: Job, seat: SeatJob, built: CheckedArchive) -> str:
        """Store the files of a build and return the hash of those that count."""
        with asking():
            return builds.keep(builds.Building.of(job, seat), built=built, is_trusted=True)

    def reject_build(self, job: Job, seat: SeatJob, *, reason: str, log: str) -> None:
        """Reject an upload whose build fails through its own fault."""
        with asking():
            builds.reject(builds.Building.of(job, seat), reason=reason, log=log)

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
