"""Counts results as tournaments do: who was ahead of whom, level or behind, and who failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pentathlon_engines.record.record import course, events_by
from pentathlon_engines.record.shape import Record


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
