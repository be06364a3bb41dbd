"""The port between workers and the platform, with two adapters.

`direct.DirectPlatform` asks the database, for workers on the platform's own machine.
`remote.RemotePlatform` asks the web server with a worker token; such a worker holds no other key.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import PLAY_MATCHES, Announcement
from pentathlon.friendlies.jobs import FriendlyStretch
from pentathlon.insight.analyses.jobs import Row
from pentathlon.matches.jobs import Claimed, Job, Outcome, SeatJob
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.launcher import SandboxLevel

Play: TypeAlias = Job | FriendlyStretch
"""Claimed work for which bots are started."""


class PlatformAway(Exception):
    """The platform did not answer, so it may or may not have done what it was asked."""

    code = "platform_away"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Work that this worker holds, and how far it has come."""

    job: Claimed
    ply: int


class Platform(Protocol):
    """The platform, as a worker sees it: one way for matches, friendlies and analyses.

    Every method may raise `PlatformAway`, and may then be called again: nothing counts twice.
    Methods that take a job raise `Conflict` if it is no longer this worker's, unless they report
    that by their result.
    """

    look_s: float
    """The time between two looks for waiting matches."""
    has_audience: bool
    """Whether anybody can watch what this worker plays."""
    least_sandbox: SandboxLevel
    """The weakest level in which this worker may run bots."""

    def announce(self, announcement: Announcement) -> None:
        """Announce this worker and what it can play."""

    def beat(self, *, name: str, starved: float, held_slots: int) -> bool:
        """Send a heartbeat; return whether the platform still knows this worker."""

    def note_draining(self, name: str) -> None:
        """Announce that this worker finishes its matches and takes no more."""

    def claim(
        self,
        ids: Sequence[int],
        *,
        slot: str,
        announcement: Announcement,
        task: str = PLAY_MATCHES,
        is_lent: bool = False,
    ) -> Sequence[Any]:  # Any: of the kind of this task
        """Claim those of these that still wait and that this worker may do.

        `is_lent` says that the hint lends a slot to an analysis.
        """

    def publish_again(self, ids: Collection[int], *, task: str = PLAY_MATCHES) -> None:
        """Leave these to other workers."""

    def renew(self, leases: Sequence[Lease]) -> Collection[int]:
        """Renew leases of one kind of work; return the ids of what this worker has lost."""

    def hand_in(self, results: Sequence[Outcome]) -> list[DomainError | None]:
        """Hand in results; return for each the reason of its refusal, or None."""

    def give_back(
        self,
        job: Claimed,
        *,
        reason: str = "",
        has_failed: bool = False,
        suspect: int | None = None,
        was_too_slow: bool = False,
        measured: Sequence[Row] = (),
        cpu_ms: int = 0,
    ) -> bool:
        """Give work back for others to do; return False if its lease was lost.

        `has_failed` says that this host failed at it. What an analysis has measured is kept.
        """

    def has_waiting_matches(self) -> bool:
        """Return whether a match waits for a slot."""

    def show(self, job: Job, events: Sequence[Event]) -> float:
        """Show spectators where a match stands; return in how many seconds to show it again.

        Only one thread calls it, and `note_changes`.
        """

    def note_changes(self, jobs: Sequence[Play]) -> None:
        """Notify the watchers of these matches and friendlies to read the database."""

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
