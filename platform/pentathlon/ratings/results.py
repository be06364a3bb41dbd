"""Which results count, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

from pentathlon.matches.models import MatchSeat, MatchState, SeatQuerySet
from pentathlon.ratings.skill import Result

UNRATED_SANDBOX: Final = "process"
"""Matches of bots that ran without a sandbox never count."""


def counting_seats() -> SeatQuerySet:
    """Return the seats of all matches whose results count."""
    seats = MatchSeat.objects.filter(match__state=MatchState.DONE)
    return seats.exclude(match__sandbox=UNRATED_SANDBOX)


def read_results(seats: SeatQuerySet, *, by: str) -> Iterator[tuple[int, Result]]:
    """Yield (id, result) for each value of the column `by`, in its order.

    The seats must be in the order of that column, or of one that goes with it.
    """
    rows = seats.values_list(by, "version_id", "rank")
    for key, part in groupby(rows, key=itemgetter(0)):
        _, players, ranks = zip(*part, strict=True)
        yield key, Result(players, ranks)
