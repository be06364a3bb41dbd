"""The port between workers and the platform, with two adapters.

`direct.DirectPlatform` asks the database, for workers on the platform's own machine.
`remote.RemotePlatform` asks the web server with a worker token; such a worker holds no other key.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import Announcement
from pentathlon.matches.jobs import Job, SeatJob, Submission
from pentathlon_engines.archive.archives import CheckedArchive


class PlatformAway(Exception):
    """The platform did not answer, so it may or may not have done what it was asked."""

    code = "platform_away"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A match that this worker holds, and how far it has come."""

    job: Job
    ply: int


class Platform(Protocol):
    """The platform, as a worker sees it.

    Every method may raise `PlatformAway`, and may then be called again: nothing counts twice.
    Methods that take a job raise `Conflict` if the match is no longer this worker's, unless they
    report that by their result.
    """

    def announce(self, announcement: Announcement) -> None:
        """Announce this worker and what it can play."""

    def beat(self, *, name: str, starved: float, held_slots: int) -> bool:
        """Send a heartbeat; return whether the platform still knows this worker."""

    def note_draining(self, name: str) -> None:
        """Announce that this worker finishes its matches and takes no more."""

    def claim(
        self, match_ids: Sequence[int], *, slot: str, announcement: Announcement
    ) -> list[Job]:
        """Claim those of these matches that still wait and that this worker may play."""

    def publish_again(self, match_ids: Collection[int]) -> None:
        """Leave these matches to other workers."""

    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        """Renew leases; return the ids of the matches that this worker has lost."""

    def hand_in(self, submissions: Sequence[Submission]) -> list[DomainError | None]:
        """Hand in results; return for each the reason of its refusal, or None."""

    def return_match(self, job: Job, *, reason: str) -> bool:
        """Give back a match that did not fail; return False if its lease was lost."""

    def fail_attempt(
        self, job: Job, *, reason: str, suspect: int | None = None, was_too_slow: bool = False
    ) -> bool:
        """Give a match back after a failure of the host; return False if its lease was lost."""

    def archive(self, content_hash: str) -> bytes:
        """Return the files of a bot that this worker is to play."""

    def built_files(self, job: Job, seat: SeatJob) -> str:
        """Return the hash of the build of this seat's upload; empty if it is not built yet."""

    def note_build_log(self, job: Job, seat: SeatJob, log: str) -> None:
        """Show the author what the build has written so far."""

    def keep_build(self, job: Job, seat: SeatJob, built: CheckedArchive) -> str:
        """Store the files of a build and return the hash of those that count."""

    def reject_build(self, job: Job, seat: SeatJob, *, reason: str, log: str) -> None:
        """Reject an upload whose build fails through its own fault."""

    def answers(self) -> bool:
        """Return whether the platform answers at all."""

    def hand_in_unsent(self) -> int:
        """Hand in the results that an earlier process could not; return how many were taken."""

    @property
    def has_refused(self) -> bool:
        """Whether the platform has refused this worker for good, in any of its processes."""

    def leave_thread(self) -> None:
        """Free the resources of the calling thread before it ends."""
