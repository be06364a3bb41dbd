"""Which live pool the results of a ladder count in."""

from __future__ import annotations

from pentathlon.ladders.models import Ladder
from pentathlon.ratings.models import Pool, live_key
from pentathlon.ratings.services import open_live_pool, open_pool


def ladder_pool_key(ladder: Ladder) -> str:
    """Return the key of the pool with the ratings by which a ladder pairs and is ordered."""
    return live_key(ladder.game) if ladder.takes_all else f"ladder:{ladder.key}"


def open_ladder_pool(ladder: Ladder) -> Pool:
    """Return that pool, made if need be."""
    if ladder.takes_all:
        return open_live_pool(game=ladder.game)
    return open_pool(key=ladder_pool_key(ladder), game=ladder.game, title=ladder.title)
