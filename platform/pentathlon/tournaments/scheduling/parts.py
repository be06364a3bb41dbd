"""Splits long tournaments into parts, so that no reader costs more than the largest part."""

from __future__ import annotations

from typing import Final

from pentathlon.core.errors import NotFound
from pentathlon.tournaments.models import Tournament, TournamentMatch, TournamentMatchQuerySet

LARGEST_PART: Final = 10_000
"""Matches in a part; as blocks stay whole, there may be some more or fewer."""


def count_parts(tournament: Tournament) -> int:
    """Return the number of parts of the matches made so far; 1 even if there are none."""
    return max(1, -(-tournament.scheduled // LARGEST_PART))


def places_of_part(tournament: Tournament, number: int) -> TournamentMatchQuerySet:
    """Return the places of the matches of one part, in schedule order.

    Raises:
        NotFound: the tournament has fewer parts.
    """
    parts = count_parts(tournament)
    if not 1 <= number <= parts:
        raise NotFound(f"There is no part {number}: {tournament.name} has {parts}.")
    places = TournamentMatch.objects.filter(tournament=tournament)
    if parts == 1:
        return places.order_by("index")
    first, beyond = (_begin(tournament, each * LARGEST_PART) for each in (number - 1, number))
    places = places.filter(index__gte=first)
    return places.filter(index__lt=beyond).order_by("index")


def _begin(tournament: Tournament, index: int) -> int:
    """Return the index at which a part begins: its first block stays whole, with its seed."""
    places = TournamentMatch.objects.filter(tournament=tournament)
    block = places.filter(index=index + 1).values_list("block", flat=True).first()
    if block is None:
        return index + 1
    return places.filter(block=block).order_by("index").values_list("index", flat=True)[0]
