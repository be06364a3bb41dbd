"""Friendlies from the database, for workers on the platform's own machine."""

from __future__ import annotations

from collections.abc import Sequence

from pentathlon.fleet.announcements import Announcement
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.friendlies import stretches
from pentathlon.friendlies.jobs import FriendlyStretch
from workers.direct.adapter import asking


class DirectFriendlies:
    """Calls the services of the platform; raises `PlatformAway` when the database is away."""

    publish_again = staticmethod(asking()(stretches.publish_stretches_again))
    renew = staticmethod(asking()(stretches.renew_stretch))
    finish = staticmethod(asking()(stretches.finish_stretch))
    fail = staticmethod(asking()(stretches.fail_stretch))

    @asking()
    def claim(
        self, friendly_ids: Sequence[int], *, slot: str, announcement: Announcement
    ) -> list[FriendlyStretch]:
        """Claim those of these friendlies in which a bot is to move that this worker can play."""
        capabilities = Capabilities.of(announcement)
        return stretches.claim_stretches(friendly_ids, worker=slot, capabilities=capabilities)
