"""Long tournaments in parts, so that no reader costs more than the largest part does."""

from __future__ import annotations

from typing import Final

from pentathlon.common.errors import NotFound
from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentMatchQuerySet

LARGEST_PART: Final = 10_000
"""Matches; a part of whole blocks may have some less."""


def count_parts(tournament: Tournament) -> int:
    """Return how many parts the matches of a tournament make: 1 even if it has none."""
    return max(1, -(-tournament.planned // _length(tournament)))


def places_of_part(tournament: Tournament, number: int) -> TournamentMatchQuerySet:
    """Return the places of the matches of one part, in schedule order.

    Raises:
        NotFound: the tournament has fewer parts.
    """
    parts = count_parts(tournament)
    if not 1 <= number <= parts:
        raise NotFound(f"There is no part {number}: {tournament.name} has {parts}.")
    last = number * _length(tournament)
    places = TournamentMatch.objects.filter(tournament=tournament, index__lte=last)
    return places.filter(index__gt=last - _length(tournament)).order_by("index")


def _length(tournament: Tournament) -> int:
    # A block has as many matches as a table has seats, and its seeds are shown together.
    return LARGEST_PART - LARGEST_PART % tournament.table_seats
