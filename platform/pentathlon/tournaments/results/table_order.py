"""The order of a tournament's table, read from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pentathlon.ratings.scores import Scores
from pentathlon.tournaments.documents.document import format_of
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.history import read_rounds
from pentathlon_engines.tournament import tie_breaks
from pentathlon_engines.tournament.formats.interface import FieldEntry, GivingByes
from pentathlon_engines.tournament.tie_breaks import Group, Results


def order_entries(tournament: Tournament, numbers: Sequence[int], results: Results) -> list[Group]:
    """Return the numbers of entries by place; `numbers` come in the order of strength."""
    return tie_breaks.order_entries(
        numbers, places=tournament.places, by=tournament.tie_breaks, results=results
    )


def byes_of(tournament: Tournament) -> Mapping[int, int]:
    """Return how many byes count as won blocks, by the number of the entry."""
    scheduling = format_of(tournament)
    if scheduling is None or not isinstance(scheduling, GivingByes):
        return {}
    numbers = tournament.entries.scheduled().values_list("number", flat=True)
    field = [FieldEntry(number=number or 0, author="") for number in numbers]
    return scheduling.byes(field, read_rounds(tournament))


def results_of(
    scores: Scores,
    numbers: Mapping[int, int],
    fit: Mapping[int, float],
    byes: Mapping[int, int],
) -> Results:
    """Return the results that tie-breaks need; `numbers` gives the entry of each version."""
    lines = {numbers[pk]: line for pk, line in scores.lines.items() if pk in numbers}
    return Results(
        wins={number: line.wins for number, line in lines.items()},
        against={
            number: {
                numbers[int(other)]: (won, drawn, lost)
                for other, (won, drawn, lost) in line.against.items()
                if int(other) in numbers
            }
            for number, line in lines.items()
        },
        fit=fit,
        byes=byes,
    )
