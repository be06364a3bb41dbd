"""Friendlies from the database, for workers on the platform's own machine."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pentathlon.fleet.announcements import Announcement
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.friendlies import stretches
from pentathlon.friendlies.jobs import FriendlyStretch, StretchResult
from workers.direct.adapter import asking


class DirectFriendlies:
    """Calls the services of the platform; raises `PlatformAway` when the database is away."""

    def claim(
        self, friendly_ids: Sequence[int], *, slot: str, announcement: Announcement
    ) -> list[FriendlyStretch]:
        """Claim those of these friendlies in which a bot is to move that this worker can play."""
        capabilities = Capabilities.of(announcement)
        with asking():
            claimed = [
                stretches.claim_stretch(friendly_id=pk, worker=slot, capabilities=capabilities)
                for pk in friendly_ids
            ]
        return [stretch for stretch in claimed if stretch is not None]

    def publish_again(self, friendly_ids: Collection[int]) -> None:
        """Leave these friendlies to other workers."""
        with asking():
            stretches.publish_stretches_again(friendly_ids)

    def renew(self, stretch: FriendlyStretch, *, ply: int) -> bool:
        """Renew the lease of a friendly; return whether it is still this worker's."""
        with asking():
            return stretches.renew_stretch(
                friendly_id=stretch.friendly_id, token=stretch.token, ply=ply
            )

    def finish(self, stretch: FriendlyStretch, result: StretchResult) -> bool:
        """Hand in the bots' actions; return False if this worker had lost the friendly."""
        with asking():
            return stretches.finish_stretch(
                friendly_id=stretch.friendly_id, token=stretch.token, result=result
            )

    def fail(self, stretch: FriendlyStretch, *, reason: str, counts: bool) -> bool:
        """Give a friendly back; `counts` says whether this host failed."""
        with asking():
            return stretches.fail_stretch(
                friendly_id=stretch.friendly_id,
                token=stretch.token,
                reason=reason,
                counts=counts,
            )
