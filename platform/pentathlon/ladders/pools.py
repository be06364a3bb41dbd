"""The live pool in which the results of a ladder count: that of its game, options and seats."""

from __future__ import annotations

from pentathlon.ladders.models import Ladder
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import open_live_pool


def open_ladder_pool(ladder: Ladder) -> Pool:
    """Return the pool with the ratings by which a ladder pairs, made if need be."""
    return open_live_pool(game=ladder.game, options=ladder.options, seats=ladder.table_seats)
