"""Tells authors by webhook that a version has its first rated match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pentathlon.bots.audit_events import note_version
from pentathlon.bots.models import BotVersion
from pentathlon.ratings.models import Pool, tournament_of_key
from pentathlon.webhooks.outbox import listeners

_EVENT: Final = "version.first_rated_match"


def note_first_matches(pool: Pool, matches: Mapping[int, int]) -> None:
    """Note the first match that counts in a live pool, by version; tournaments say nothing."""
    if not matches or tournament_of_key(pool.key) is not None:
        return
    versions = BotVersion.objects.filter(pk__in=matches)
    # One query for all versions, because hardly any author listens to this event.
    wanted = versions.filter(bot__owner__in=listeners(_EVENT).values("owner"))
    for version_id in wanted.order_by("pk").values_list("pk", flat=True):
        match_id = matches[version_id]
        note_version(
            _EVENT,
            version_id=version_id,
            path=f"/api/v1/matches/{match_id}/",
            match=match_id,
            game=pool.game,
        )
