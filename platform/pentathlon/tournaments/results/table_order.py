"""The points and the order of a tournament's table, read from its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pentathlon.ratings.scores import Scores
from pentathlon.tournaments.batches import BlockState
from pentathlon.tournaments.documents.document import document, event_key, format_of
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.history import read_played
from pentathlon_engines.tournament import tie_breaks
from pentathlon_engines.tournament.departures import points_of_forfeits, results_of_rounds, settle
from pentathlon_engines.tournament.formats.interface import AS_PLAYED, Format, GivingByes
from pentathlon_engines.tournament.tie_breaks import Group, Results


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResults:
    """All that points and tie-breaks follow from, by the number of the entry."""

    results: Results
    forfeits: Mapping[int, float] = field(default_factory=dict)
    """The points that entries have without a match because others have left."""
    cancelled: frozenset[int] = frozenset()
    """Entries that have left so early that their results count for nobody."""


def order_entries(tournament: Tournament, numbers: Sequence[int], results: Results) -> list[Group]:
    """Return the numbers of entries by place; equals share one, in the order given."""
    return tie_breaks.order_entries(
        numbers, places=tournament.places, by=tournament.tie_breaks, results=results
    )


def read_results(
    tournament: Tournament,
    scores: Scores,
    numbers: Mapping[int, int],
    *,
    fit: Mapping[int, float],
    left: Collection[int],
) -> TableResults:
    """Return the results of the table: those played, byes, and what leaving means by the law.

    `scores` has one line for each entry; `numbers` gives the entry of each version, and `left` has
    the entries that have left.
    """
    scheduling = format_of(tournament)
    results = _results_of(scores, numbers, fit)
    if scheduling is None or tournament.fixed_document is None:
        return TableResults(results=results)
    if isinstance(scheduling, GivingByes):
        entries = document(tournament).field(left=left)
        played = read_played(tournament)
        return TableResults(
            results=results_of_rounds(entries, played, fit=fit),
            forfeits=points_of_forfeits(played),
        )
    return _settled(tournament, scheduling, results, left)


def _settled(
    tournament: Tournament, scheduling: Format, results: Results, left: Collection[int]
) -> TableResults:
    """Return results of matches with what the law makes of those that have left."""
    is_cut = tournament.blocks.filter(state=BlockState.PARTIAL).exists()
    planned = document(tournament)
    law = planned.leaving or AS_PLAYED
    if law == AS_PLAYED or not (left or is_cut):
        return TableResults(results=results)
    settlement = settle(
        scheduling,
        planned.plan(key=event_key(tournament)),
        planned.field(left=left),
        read_played(tournament, of=left),
        law=law,
    )
    return TableResults(
        results=settlement.apply(results),
        forfeits={player: settlement.points(player) for player in settlement.forfeits},
        cancelled=settlement.cancelled,
    )


def _results_of(scores: Scores, numbers: Mapping[int, int], fit: Mapping[int, float]) -> Results:
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
