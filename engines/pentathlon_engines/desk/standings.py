"""The table of a tournament on this machine, computed as a server computes its final table."""

from collections.abc import Mapping
from dataclasses import dataclass

from pentathlon_engines.desk.match_pool import Tally, TallyLine
from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.strength import best
from pentathlon_engines.strength.thurstone import BETA, fit
from pentathlon_engines.tournament.departures import results_of_rounds
from pentathlon_engines.tournament.formats.interface import GivingByes
from pentathlon_engines.tournament.tie_breaks import (
    BYE,
    Results,
    group_by_places,
    order_entries,
    values_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskStanding:
    """One line of the table."""

    place: int
    """The place in the table, from 1; several entries may share it."""
    group: int
    """The number of the group; entries of different groups can be told apart with 95 %
    confidence."""
    number: int
    """The number of the entry, from 0."""
    name: str
    strength: float
    """The estimated strength; 25 is the mean of the field."""
    reach: float
    """Half the width of the strength's 95 % interval."""
    ranks: best.RankInterval
    chance_of_best: float
    line: TallyLine
    byes: int
    """Rounds without a match that count as won blocks."""
    points: float
    """The points: at most 1 for a match, at larger tables divided among the opponents."""
    tie_breaks: Mapping[str, float | None]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the true strength."""
        return self.strength - self.reach, self.strength + self.reach


def entry_name(tournament: DeskTournament, number: int) -> str:
    """Name an entry as documents do."""
    entry = tournament.document.entries[number]
    return f"{entry.bot} v{entry.version}" if entry.bot else entry.hash[:15]


def tally_of(tournament: DeskTournament) -> Tally:
    """Count all matches that count."""
    tally = Tally(len(tournament.document.entries))
    for match, result in tournament.counting():
        tally.count(match.players, result)
    return tally


def byes_of(tournament: DeskTournament, *, rounds: int | None = None) -> Mapping[int, int]:
    """Return how many byes of each entry count as won blocks, in the first `rounds` or in all."""
    scheduling = tournament.document.scheduling
    if not isinstance(scheduling, GivingByes):
        return {}
    made = [block for block in tournament.blocks if rounds is None or block.round <= rounds]
    return scheduling.byes(tournament.document.field(), made)


def standings(tournament: DeskTournament) -> list[DeskStanding]:
    """Return the table, best first: places of the format, then tie-breaks; equals share one."""
    document = tournament.document
    entries = len(document.entries)
    strengths = fit(
        tournament.played(),
        players=range(entries),
        draw_probability=document.draw_probability,
        beta=BETA if document.beta is None else document.beta,
    )
    tally = tally_of(tournament)
    results = _results(tournament, tally, dict(zip(strengths.players, strengths.mu, strict=True)))
    ranked = [strengths.players[index] for index in best.by_strength(strengths)]
    places = tournament.over.places if tournament.over else None
    by = document.tie_breaks
    ordered = order_entries(ranked, places=places, by=by, results=results)
    values = values_of(group_by_places(ranked, places), by=by, results=results)
    numbers, intervals = best.groups(strengths), best.rank_intervals(strengths)
    chances = best.chances_of_best(strengths).chances
    rows: list[DeskStanding] = []
    for group in ordered:
        place = len(rows) + 1
        for number in group:
            line = tally.lines[number]
            rows.append(
                DeskStanding(
                    place=place,
                    group=numbers[number],
                    number=number,
                    name=entry_name(tournament, number),
                    strength=strengths.mu[number],
                    reach=best.Z_95 * strengths.sigma(number),
                    ranks=intervals[number],
                    chance_of_best=chances[number],
                    line=line,
                    byes=results.byes_of(number),
                    points=line.points(document.table_seats or 2) + BYE * results.byes_of(number),
                    tie_breaks=values[number],
                )
            )
    return rows


def _results(tournament: DeskTournament, tally: Tally, fit: Mapping[int, float]) -> Results:
    """Return what tie-breaks are computed from; nobody leaves a tournament on this machine."""
    document = tournament.document
    if isinstance(document.scheduling, GivingByes):
        return results_of_rounds(document.field(), tournament.blocks, fit=fit)
    return Results(
        wins={number: line.wins for number, line in enumerate(tally.lines)},
        against={
            number: {other: (won, level, lost) for other, (won, level, lost) in met.items()}
            for number, met in enumerate(line.against for line in tally.lines)
        },
        fit=fit,
    )
