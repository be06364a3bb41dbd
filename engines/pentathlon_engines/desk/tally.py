"""Counts results as tournaments do: who was ahead of whom, level or behind, and who failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.record.record import course, events_by
from pentathlon_engines.record.shape import Record
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
class DeskResult:
    """The result of a match on this machine, seat by seat."""

    ranks: tuple[int, ...]
    failed: tuple[int, ...]
    """The seats with a fault."""
    slowest_ms: tuple[int, ...]
    """The CPU time of each seat's longest action; 0 without an action."""
    reason: str
    plies: int
    course: str
    chain: str


def result_of(record: Record) -> DeskResult:
    """Return the result that a record states."""
    return DeskResult(
        ranks=tuple(record["outcome"]["ranks"]),
        failed=tuple(fault["seat"] for fault in record["faults"]),
        slowest_ms=tuple(
            max((event.cpu_ms for event in events_by(record, seat)), default=0)
            for seat in range(record["seats"])
        ),
        reason=record["outcome"]["reason"],
        plies=len(record["events"]),
        course=course(record),
        chain=record["chain"],
    )


@dataclass(slots=True)
class TallyLine:
    """The counts of one bot."""

    matches: int = 0
    wins: int = 0
    """Matches won alone."""
    draws: int = 0
    """Matches in which it shared the first rank."""
    faults: int = 0
    slowest_ms: int = 0
    against: dict[int, list[int]] = field(default_factory=dict)
    """For each other bot: how often this one was ahead of it, level with it and behind it."""

    @property
    def losses(self) -> int:
        """Matches in which somebody was ahead."""
        return self.matches - self.wins - self.draws

    def points(self, seats: int) -> float:
        """Return one point for each match won; at larger tables others share it."""
        met = self.against.values()
        return sum(ahead + level / 2 for ahead, level, _ in met) / (seats - 1)


class Tally:
    """The counts of all bots, by number."""

    def __init__(self, players: int) -> None:
        self.lines = [TallyLine() for _ in range(players)]
        self.seats: list[list[int]] = []
        """For each seat: wins, draws and losses against others at the table."""

    def count(self, players: Sequence[int], result: DeskResult) -> None:
        """Count a match; its players are in the order of the seats."""
        best = result.ranks.count(0)
        for seat, player in enumerate(players):
            line, rank = self.lines[player], result.ranks[seat]
            line.matches += 1
            line.wins += rank == 0 and best == 1
            line.draws += rank == 0 and best > 1
            line.faults += seat in result.failed
            line.slowest_ms = max(line.slowest_ms, result.slowest_ms[seat])
            for place, other in enumerate(players):
                if place != seat:
                    self._compare(seat, place, other, line, result)

    def _compare(
        self, seat: int, place: int, other: int, line: TallyLine, result: DeskResult
    ) -> None:
        """Count one seat against another; if both failed, both have lost."""
        both_failed = seat in result.failed and place in result.failed
        own, their = result.ranks[seat], result.ranks[place]
        column = 2 if both_failed or own > their else own == their
        line.against.setdefault(other, [0, 0, 0])[column] += 1
        if not both_failed:  # that says nothing about the seats
            while len(self.seats) <= seat:
                self.seats.append([0, 0, 0])
            self.seats[seat][column] += 1


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
