"""Tells authors by webhook that a version has its first rated match."""

from __future__ import annotations

from collections.abc import Mapping

from pentathlon.bots.notices import note_version
from pentathlon.ratings.models import Pool, tournament_of_key


def note_first_matches(pool: Pool, matches: Mapping[int, int]) -> None:
    """Note the first match that counts in a live pool, by version; tournaments say nothing."""
    if tournament_of_key(pool.key) is not None:
        return
    for version_id, match_id in sorted(matches.items()):
        note_version(
            "version.first_rated_match",
            version_id=version_id,
            path=f"/api/v1/matches/{match_id}/",
            match=match_id,
            game=pool.game,
        )
