"""Friendlies over HTTPS, for workers with a worker token."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from pentathlon.fleet.announcements import Announcement
from pentathlon.friendlies.jobs import FriendlyStretch, StretchResult
from pentathlon.friendlies.wire import stretch_from_json, stretch_result_to_json
from pentathlon.matches.wire import announcement_to_json
from workers.remote.adapter import RemotePlatform


class RemoteFriendlies:
    """Asks the site."""

    def __init__(self, platform: RemotePlatform) -> None:
        self._platform = platform

    def claim(
        self, friendly_ids: Sequence[int], *, slot: str, announcement: Announcement
    ) -> list[FriendlyStretch]:
        """Claim those of these friendlies in which a bot is to move that this worker can play."""
        told = {
            "friendly_ids": list(friendly_ids),
            "slot": slot,
            "announcement": announcement_to_json(announcement),
        }
        claimed = [stretch_from_json(each) for each in self._ask("claims", told)["stretches"]]
        for stretch in claimed:
            for bot in stretch.bots:
                self._platform.note_right(bot.files_hash, f"friendly={stretch.friendly_id}")
        return claimed

    def publish_again(self, friendly_ids: Collection[int]) -> None:
        """Leave these friendlies to other workers."""
        self._ask("passed-hints", {"friendly_ids": list(friendly_ids)})

    def renew(self, friendly_id: int, token: UUID, *, ply: int) -> bool:
        """Renew the lease of a friendly; return whether it is still this worker's."""
        return self._held("leases", friendly_id, token, ply=ply)

    def finish(self, friendly_id: int, token: UUID, *, result: StretchResult) -> bool:
        """Hand in the bots' actions; return False if this worker had lost the friendly."""
        return self._held("results", friendly_id, token, result=stretch_result_to_json(result))

    def fail(self, friendly_id: int, token: UUID, *, reason: str, counts: bool) -> bool:
        """Give a friendly back; `counts` says whether this host failed."""
        told = {"reason": reason[:1000], "has_failed": counts}
        return self._held("returns", friendly_id, token, **told)

    def _held(self, path: str, friendly_id: int, token: UUID, **told: Any) -> bool:  # Any: JSON
        attempt = {"friendly_id": friendly_id, "token": str(token)}
        return bool(self._ask(path, {**attempt, **told})["was_held"])

    def _ask(self, path: str, told: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
        return self._platform.post(f"friendlies/{path}", told)
