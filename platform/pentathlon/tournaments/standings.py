"""How a tournament stands: table, crosstable, seats. The number of queries does not grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from pentathlon.matches.models import MatchSeat, MatchState, SeatQuerySet
from pentathlon.ratings.certainty import chances_of_best, groups
from pentathlon.ratings.models import Rating
from pentathlon.ratings.skill import Skill
from pentathlon.tournaments.models import Entry, FinalRow, Tournament
from pentathlon.tournaments.table import CrosstableRow, Place, Score, SeatRate, Standing, Tally

_BOTH_FAILED = ~Q(fault_kind="") & ~Q(other_fault="")

Meetings = Mapping[tuple[int, int], Score]
"""Scores by (bot version, other bot version)."""


def standings(tournament: Tournament) -> list[Standing]:
    """Return the table, best first: by the order-free fit once closed, else by mu - 3 sigma."""
    return _standings(tournament, _meetings(tournament))


def crosstable(tournament: Tournament) -> list[CrosstableRow]:
    """Return everybody's scores against everybody, in the order of the table."""
    meetings = _meetings(tournament)
    rows = _standings(tournament, meetings)
    return [CrosstableRow(standing=row, cells=tuple(_cells(row, rows, meetings))) for row in rows]


def seat_rates(tournament: Tournament) -> list[SeatRate]:
    """Return how each seat did, so that an advantage of one of them shows."""
    # Where both failed nobody has won, which says nothing about the seats.
    rows = _scored(tournament, "seat").exclude(_BOTH_FAILED).order_by("seat")
    return [SeatRate(seat=seat, score=_score(counts)) for seat, *counts in rows]


def _standings(tournament: Tournament, meetings: Meetings) -> list[Standing]:
    places = _final_places(tournament) or _live_places(tournament)
    tallies = _tallies(tournament)
    points = dict.fromkeys(tallies, 0.0)
    for (version_id, _), score in meetings.items():
        points[version_id] += score.points
    return [
        Standing(
            place=place,
            tally=tallies.get(place.entry.version_id, Tally()),
            points=points.get(place.entry.version_id, 0.0) / (tournament.table_seats - 1),
        )
        for place in places
    ]


def _final_places(tournament: Tournament) -> list[Place]:
    rows = {row.pk: row for row in FinalRow.objects.filter(entry__tournament=tournament)}
    entries = tournament.entries.in_order() if rows else ()
    places = [_final_place(rows[entry.pk], entry) for entry in entries]
    return sorted(places, key=lambda place: place.number)


def _final_place(row: FinalRow, entry: Entry) -> Place:
    return Place(
        number=row.place,
        group=row.group,
        entry=entry,
        skill=Skill(row.mu, row.sigma),
        fold=Skill(row.fold_mu, row.fold_sigma),
        chance_of_best=row.chance_of_best,
    )


def _live_places(tournament: Tournament) -> list[Place]:
    ratings = Rating.objects.filter(pool=tournament.pool_id)
    live = {rating.version_id: rating.skill for rating in ratings}
    rated = [
        (entry, live.get(entry.version_id, Skill())) for entry in tournament.entries.in_order()
    ]
    rated.sort(key=lambda pair: 3 * pair[1].sigma - pair[1].mu)
    skills = [skill for _, skill in rated]
    rows = zip(rated, groups(skills), chances_of_best(skills), strict=True)
    return [
        Place(
            number=number, group=group, entry=entry, skill=skill, fold=None, chance_of_best=chance
        )
        for number, ((entry, skill), group, chance) in enumerate(rows, start=1)
    ]


def _cells(
    row: Standing, columns: Sequence[Standing], meetings: Meetings
) -> Iterator[Score | None]:
    for column in columns:
        key = (row.version.pk, column.version.pk)
        yield None if column is row else meetings.get(key, Score())


def _tallies(tournament: Tournament) -> dict[int, Tally]:
    others = MatchSeat.objects.filter(match=OuterRef("match"), rank=0).exclude(pk=OuterRef("pk"))
    rows = (
        _done_seats(tournament)
        .alias(is_level=Exists(others))
        .values_list("version")
        .annotate(
            matches=Count("pk"),
            wins=Count("pk", filter=Q(rank=0, is_level=False)),
            draws=Count("pk", filter=Q(rank=0, is_level=True)),
            faults=Count("pk", filter=~Q(fault_kind="")),
        )
        .order_by()
    )
    return {
        version_id: Tally(matches=matches, wins=wins, draws=draws, faults=faults)
        for version_id, matches, wins, draws, faults in rows
    }


def _meetings(tournament: Tournament) -> Meetings:
    rows = _scored(tournament, "version", "other").order_by()
    return {(version_id, other_id): _score(counts) for version_id, other_id, *counts in rows}


def _score(counts: Sequence[int]) -> Score:
    wins, draws, losses = counts
    return Score(wins=wins, draws=draws, losses=losses)


def _scored(tournament: Tournament, *by: str) -> QuerySet[Any]:  # Any: rows of plain columns
    """Compare each finished seat with every other seat at its table, and count by columns.

    Of two that failed neither was level with the other: both have lost.
    """
    seats = _done_seats(tournament).annotate(
        other=F("match__seats__version"),
        other_seat=F("match__seats__seat"),
        other_rank=F("match__seats__rank"),
        other_fault=F("match__seats__fault_kind"),
    )
    pairs = seats.filter(~Q(seat=F("other_seat")))
    return pairs.values_list(*by).annotate(
        wins=Count("pk", filter=Q(rank__lt=F("other_rank"))),
        draws=Count("pk", filter=Q(rank=F("other_rank")) & ~_BOTH_FAILED),
        losses=Count("pk", filter=Q(rank__gt=F("other_rank")) | _BOTH_FAILED),
    )


def _done_seats(tournament: Tournament) -> SeatQuerySet:
    return MatchSeat.objects.filter(
        match__place__tournament=tournament, match__state=MatchState.DONE
    )
