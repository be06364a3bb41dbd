"""How a tournament stands: table, crosstable, seats. The number of queries does not grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pentathlon.matches.models import MatchSeat
from pentathlon.ratings.certainty import chances_of_best, groups
from pentathlon.ratings.models import Pool, Rating, ScoreLine
from pentathlon.ratings.scores import Scores, read_scores, scores_of
from pentathlon.ratings.skill import Skill
from pentathlon.tournaments.models import Entry, EntryState, FinalRow, Tournament
from pentathlon.tournaments.table import CrosstableRow, Place, Score, SeatRate, Standing, Tally


def standings(tournament: Tournament) -> list[Standing]:
    """Return the table, best first: by the order-free fit once closed, else by mu - 3 sigma.

    Entries that were withdrawn or disqualified come last, without a place.
    """
    return _standings(tournament, _scores(tournament, with_pairs=False))


def crosstable(tournament: Tournament) -> list[CrosstableRow]:
    """Return everybody's scores against everybody, in the order of the table."""
    scores = _scores(tournament)
    rows = _standings(tournament, scores)
    return [CrosstableRow(standing=row, cells=tuple(_cells(row, rows, scores))) for row in rows]


def seat_rates(tournament: Tournament) -> list[SeatRate]:
    """Return how each seat did, so that an advantage of one of them shows."""
    seats = _scores(tournament, with_pairs=False).seats
    return [
        SeatRate(seat=seat, score=Score.of(counts))
        for seat, counts in enumerate(seats)
        if any(counts)
    ]


def _scores(tournament: Tournament, *, with_pairs: bool = True) -> Scores:
    pool = Pool.objects.filter(tournament=tournament).first()
    if pool is None:
        return scores_of(MatchSeat.objects.filter(match__place__tournament=tournament))
    return read_scores(pool, with_pairs=with_pairs)


def _standings(tournament: Tournament, scores: Scores) -> list[Standing]:
    places = _final_places(tournament) or _live_places(tournament)
    return [
        _standing(place, scores.lines.get(place.entry.version_id), tournament.table_seats)
        for place in places
    ]


def _standing(place: Place, line: ScoreLine | None, seats: int) -> Standing:
    if line is None:
        return Standing(place=place, tally=Tally(), points=0.0)
    tally = Tally(matches=line.matches, wins=line.wins, draws=line.draws, faults=line.faults)
    points = (line.ahead + line.level / 2) / (seats - 1)
    return Standing(place=place, tally=tally, points=points)


def _final_places(tournament: Tournament) -> list[Place]:
    rows = {row.pk: row for row in FinalRow.objects.filter(entry__tournament=tournament)}
    entries = list(tournament.entries.in_order()) if rows else []
    placed = [_final_place(rows[entry.pk], entry) for entry in entries if entry.pk in rows]
    left = [entry for entry in entries if entry.pk not in rows]
    placed.sort(key=lambda place: place.number or 0)
    return placed + (_without_place(left, _live_skills(tournament)) if left else [])


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
    live = _live_skills(tournament)
    entries = list(tournament.entries.in_order())
    active = [entry for entry in entries if entry.state == EntryState.ACTIVE]
    rated = [(entry, live.get(entry.version_id, Skill())) for entry in active]
    rated.sort(key=lambda pair: 3 * pair[1].sigma - pair[1].mu)
    skills = [skill for _, skill in rated]
    rows = zip(rated, groups(skills), chances_of_best(skills), strict=True)
    placed = [
        Place(
            number=number, group=group, entry=entry, skill=skill, fold=None, chance_of_best=chance
        )
        for number, ((entry, skill), group, chance) in enumerate(rows, start=1)
    ]
    left = [entry for entry in entries if entry.state != EntryState.ACTIVE]
    return placed + _without_place(left, live)


def _live_skills(tournament: Tournament) -> dict[int, Skill]:
    ratings = Rating.objects.filter(pool=tournament.pool_id)
    return {rating.version_id: rating.skill for rating in ratings}


def _without_place(entries: Sequence[Entry], live: Mapping[int, Skill]) -> list[Place]:
    """Return those that have left, in the order of entry."""
    return [
        Place(
            number=None,
            group=None,
            entry=entry,
            skill=live.get(entry.version_id, Skill()),
            fold=None,
            chance_of_best=0.0,
        )
        for entry in entries
    ]


def _cells(row: Standing, columns: Sequence[Standing], scores: Scores) -> Iterator[Score | None]:
    line = scores.lines.get(row.version.pk)
    against = {} if line is None else line.against
    for column in columns:
        met = against.get(str(column.version.pk), (0, 0, 0))
        yield None if column is row else Score.of(met)
