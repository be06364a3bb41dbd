"""What pages call the format of a tournament."""

from __future__ import annotations

from pentathlon.tournaments.document import format_of
from pentathlon.tournaments.models import Tournament

_PAIR = 2


def format_name(tournament: Tournament) -> str:
    """Return the name of a tournament's format in a few words."""
    found = format_of(tournament)
    name = found.title if found else tournament.format
    cycles = tournament.params.get("cycles", 1)
    if tournament.format == "round_robin" and cycles == 1 and tournament.table_seats == _PAIR:
        return "Double round robin"
    if tournament.table_seats > _PAIR:
        name = f"{name} of {tournament.table_seats}"
    return f"{name}, {cycles} cycles" if cycles > 1 else name
