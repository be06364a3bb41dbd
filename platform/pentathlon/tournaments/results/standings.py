"""Standings of a tournament: table, crosstable and seats, with a constant number of queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import COMPETITIONS, Match, MatchSeat, MatchState
from pentathlon.ratings.models import Pool, Rating
from pentathlon.ratings.scores import Scores, read_scores, scores_of
from pentathlon.ratings.skill import Skill
from pentathlon.ratings.uncertainty import (
    StrengthBar,
    chances_of_best,
    final_bar,
    groups,
    is_provisional,
    live_bar,
    mean_of,
)
from pentathlon.tournaments.models import Entry, EntryState, FinalRow, Tournament
from pentathlon.tournaments.results.table_order import (
    VersionShare,
    merge_scores,
    merge_skills,
    order_entries,
    read_results,
    version_shares,
)
from pentathlon_engines.strength.best import RankInterval
from pentathlon_engines.tournament.tie_breaks import group_by_places, values_of

_NEVER_MET: Final = (0, 0, 0)
_LATEST: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How often a bot was ahead of, level with and behind others at the same table."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @classmethod
    @lru_cache(maxsize=4096)  # a crosstable has 50,000 cells and few different ones
    def of(cls, wins: int, draws: int, losses: int) -> Score:
        """Return the score of these counts."""
        return cls(wins=wins, draws=draws, losses=losses)

    @property
    def meetings(self) -> int:
        """The number of comparisons with others at the same table."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One point for everybody behind, half a point for everybody level."""
        return self.wins + self.draws / 2

    @property
    def share(self) -> float | None:
        """The share of all possible points; None before the first meeting."""
        return self.points / self.meetings if self.meetings else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One line of a tournament's table."""

    place: int | None
    """The place, from 1, which several may share; None for an entry that has left."""
    group: int | None
    """Entries of different groups can be told apart with 95 % confidence; None without a place."""
    entry: Entry
    rating: Skill
    """Live rating while the tournament runs; order-free strength once it is closed."""
    bar: StrengthBar
    rank_interval: RankInterval | None = None
    """The ranks that the entry may truly have, once the tournament is closed."""
    fold: Skill | None
    """The rating rule applied in schedule order, once a tournament of two seats is closed."""
    chance_of_best: float
    matches: int = 0
    wins: int = 0
    """Matches won alone."""
    draws: int = 0
    """Matches in which it shared the first rank."""
    faults: int = 0
    byes: int = 0
    """Rounds without a match that count as won blocks, two points each."""
    forfeits: float = 0.0
    """The points that it has without a match because others have left."""
    is_cancelled: bool = False
    """Whether its results count for nobody, because it left before it had played enough."""
    tie_breaks: Mapping[str, float | None] = field(default_factory=dict)
    """The value of each tie-break of the tournament, in order; None if the entry has left, or if
    the tie-break cannot tell it from those who are level with it."""
    points: float = 0.0
    """At most 1 a match, shared among the opponents at larger tables; byes and forfeits have
    points, too."""
    shares: tuple[VersionShare, ...] = ()
    """What each of its versions has scored, in order of appearance; empty if none was replaced."""

    @property
    def version(self) -> BotVersion:
        """The version that plays for the entry now."""
        return self.entry.version

    @property
    def losses(self) -> int:
        """Matches in which somebody was ahead."""
        return self.matches - self.wins - self.draws

    @property
    def interval(self) -> tuple[float, float]:
        """Bounds that hold the true strength with 95 % probability; 25 is the field's mean."""
        return self.bar.low, self.bar.high

    @property
    def is_provisional(self) -> bool:
        """Whether too few results stand behind the rating."""
        return is_provisional(self.rating)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrosstableRow:
    """One bot version against each of the others, in the order of the table."""

    standing: Standing
    cells: tuple[Score | None, ...]
    """The scores against all entries in the order of the table; None against itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRate:
    """The result of one seat over all matches; a share of 0.5 is fair."""

    seat: int
    score: Score


def standings(tournament: Tournament) -> list[Standing]:
    """Return the table, best first, by the places of the format and the tie-breaks.

    Strength is the order-free fit once it is closed, and mu - 3 sigma before. Entries that have
    left come last, without a place. An entry whose version was replaced has one line: the points
    of all its versions, and the rating that their results give together.
    """
    return _standings(tournament, _scores(tournament))


def crosstable(tournament: Tournament) -> list[CrosstableRow]:
    """Return everybody's scores against everybody, in the order of the table."""
    scores = _scores(tournament)
    rows = _standings(tournament, scores)
    if any(row.shares for row in rows):
        scores = merge_scores(tournament, scores)
    return [CrosstableRow(standing=row, cells=tuple(_cells(row, rows, scores))) for row in rows]


def seat_rates(tournament: Tournament) -> list[SeatRate]:
    """Return the results by seat, which show whether a seat has an advantage."""
    return _seat_rates(_scores(tournament, with_pairs=False))


def seat_rates_of_game(game: str) -> list[SeatRate]:
    """Return the results by seat in the latest tournament matches of a game."""
    played = (
        Match.objects.of_game(game)
        .public()
        .filter(state=MatchState.DONE, kind__in=COMPETITIONS, is_revoked=False)
    )
    latest = list(played.order_by("-finished_at", "-pk").values_list("pk", flat=True)[:_LATEST])
    return _seat_rates(scores_of(MatchSeat.objects.filter(match__in=latest)))


def _seat_rates(scores: Scores) -> list[SeatRate]:
    return [
        SeatRate(seat=seat, score=Score.of(*counts))
        for seat, counts in enumerate(scores.seats)
        if any(counts)
    ]


def _scores(tournament: Tournament, *, with_pairs: bool = True) -> Scores:
    pool = Pool.objects.filter(tournament=tournament).first()
    if pool is None:
        return scores_of(MatchSeat.objects.filter(match__place__tournament=tournament))
    return read_scores(pool, with_pairs=with_pairs)


def _standings(tournament: Tournament, scores: Scores) -> list[Standing]:
    skills = _live_skills(tournament)
    shares = version_shares(tournament, scores, skills)
    if shares:
        scores, skills = merge_scores(tournament, scores), merge_skills(tournament, skills)
    final = _final_rows(tournament, skills)
    rows = _with_counts(final or _live_rows(tournament, skills), scores)
    rows = _with_points(tournament, rows, scores, is_final=bool(final))
    if not shares:
        return rows
    return [replace(row, shares=shares.get(row.entry.version_id, ())) for row in rows]


def _with_points(
    tournament: Tournament, rows: list[Standing], scores: Scores, *, is_final: bool
) -> list[Standing]:
    """Add points and the values of tie-breaks, which also place the rows of a running tournament.

    Whoever is level in all tie-breaks shares a place.
    """
    numbers = {row.entry.version_id: row.entry.number or 0 for row in rows}
    placed = {row.entry.number or 0: row for row in rows if row.place is not None}
    fit = {
        number: row.rating.mu if is_final else row.rating.score for number, row in placed.items()
    }
    gone = {row.entry.number or 0 for row in rows if row.entry.state != EntryState.ACTIVE}
    table = read_results(tournament, scores, numbers, fit=fit, left=gone)
    chairs = tournament.table_seats - 1
    told = {
        row.entry.number or 0: replace(
            row,
            byes=table.results.byes_of(row.entry.number or 0),
            points=table.results.points(row.entry.number or 0) / chairs,
            forfeits=table.forfeits.get(row.entry.number or 0, 0.0) / chairs,
            is_cancelled=row.entry.number in table.cancelled,
            tie_breaks=dict.fromkeys(tournament.tie_breaks),
        )
        for row in rows
    }
    groups_by_place = order_entries(tournament, list(placed), table.results)
    values = values_of(
        group_by_places(list(placed), tournament.places),
        by=tournament.tie_breaks,
        results=table.results,
    )
    ordered: list[Standing] = []
    for group in groups_by_place:
        place = len(ordered) + 1
        ordered += [
            replace(
                told[number],
                place=placed[number].place if is_final else place,
                tie_breaks=values[number],
            )
            for number in group
        ]
    if is_final:
        ordered.sort(key=lambda row: row.place or 0)
    left = [told[row.entry.number or 0] for row in rows if row.place is None]
    return ordered + left


def _with_counts(rows: Sequence[Standing], scores: Scores) -> list[Standing]:
    """Return lines with the counts of their matches."""
    counted = []
    for row in rows:
        line = scores.lines.get(row.entry.version_id)
        counted.append(
            row
            if line is None
            else replace(
                row,
                matches=line.matches,
                wins=line.wins,
                draws=line.draws,
                faults=line.faults,
            )
        )
    return counted


def _final_rows(tournament: Tournament, live: Mapping[int, Skill]) -> list[Standing]:
    rows = {row.pk: row for row in FinalRow.objects.filter(entry__tournament=tournament)}
    entries = list(tournament.entries.in_order()) if rows else []
    placed = [_final_row(rows[entry.pk], entry) for entry in entries if entry.pk in rows]
    left = [entry for entry in entries if entry.pk not in rows]
    placed.sort(key=lambda row: row.place or 0)
    return placed + _without_place(left, live)


def _final_row(row: FinalRow, entry: Entry) -> Standing:
    skill, ranks = Skill(row.mu, row.sigma), None
    if row.rank_low is not None and row.rank_high is not None:
        ranks = RankInterval(row.rank_low, row.rank_high)
    return Standing(
        place=row.place,
        group=row.group,
        entry=entry,
        rating=skill,
        bar=final_bar(skill),
        rank_interval=ranks,
        fold=None
        if row.fold_mu is None or row.fold_sigma is None
        else Skill(row.fold_mu, row.fold_sigma),
        chance_of_best=row.chance_of_best,
    )


def _live_rows(tournament: Tournament, live: Mapping[int, Skill]) -> list[Standing]:
    entries = list(tournament.entries.in_order())
    active = [entry for entry in entries if entry.state == EntryState.ACTIVE]
    rated = [(entry, live.get(entry.version_id, Skill())) for entry in active]
    rated.sort(key=lambda pair: -pair[1].score)
    skills = [skill for _, skill in rated]
    rows = zip(rated, groups(skills), chances_of_best(skills), strict=True)
    mean = mean_of(live.values())
    placed = [
        Standing(
            place=place,
            group=group,
            entry=entry,
            rating=skill,
            bar=live_bar(skill, mean=mean),
            fold=None,
            chance_of_best=chance,
        )
        for place, ((entry, skill), group, chance) in enumerate(rows, start=1)
    ]
    left = [entry for entry in entries if entry.state != EntryState.ACTIVE]
    return placed + _without_place(left, live)


def _live_skills(tournament: Tournament) -> dict[int, Skill]:
    ratings = Rating.objects.filter(pool=tournament.pool_id)
    return {rating.version_id: rating.skill for rating in ratings}


def _without_place(entries: Sequence[Entry], live: Mapping[int, Skill]) -> list[Standing]:
    """Return the lines of entries that have left, in the order of entry."""
    mean = mean_of(live.values())
    skills = ((entry, live.get(entry.version_id, Skill())) for entry in entries)
    return [
        Standing(
            place=None,
            group=None,
            entry=entry,
            rating=skill,
            bar=live_bar(skill, mean=mean),
            fold=None,
            chance_of_best=0.0,
        )
        for entry, skill in skills
    ]


def _cells(row: Standing, columns: Sequence[Standing], scores: Scores) -> Iterator[Score | None]:
    line = scores.lines.get(row.version.pk)
    against = {} if line is None else line.against
    for column in columns:
        met = against.get(str(column.entry.version_id), _NEVER_MET)
        yield None if column is row else Score.of(*met)
