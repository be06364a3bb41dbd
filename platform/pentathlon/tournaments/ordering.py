"""The order of a tournament's table: places by the format, tie-breaks, then strength."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pentathlon.ratings.scores import Scores
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.tournament.tie_breaks import Group, Results, order


def order_entries(tournament: Tournament, numbers: Sequence[int], results: Results) -> list[Group]:
    """Return entries by place; they come in the order of their strength.

    Where the format decides places, these go first. Without places and tie-breaks, strength
    decides alone, and nobody shares a place.
    """
    placed: list[Group] = [
        tuple(number for number in numbers if number in place) for place in tournament.places or []
    ]
    named = {number for group in placed for number in group}
    rest = tuple(number for number in numbers if number not in named)
    groups = [group for group in (*placed, rest) if group]
    if tournament.tie_breaks:
        return order(groups, by=tournament.tie_breaks, results=results)
    if tournament.places is None:
        return [(number,) for number in numbers]
    return groups


def results_of(scores: Scores, numbers: Mapping[int, int], fit: Mapping[int, float]) -> Results:
    """Return what tie-breaks need of the scores; `numbers` are those of entries by version."""
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
    )
