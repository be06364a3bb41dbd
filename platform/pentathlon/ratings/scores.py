"""The tables of tournaments, counted result by result: what a page shows is never summed up anew.

The counts move in the transaction that settles the ledger's rows, so each result is in them once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Final

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from pentathlon.core.statements import store_rows
from pentathlon.matches.models import MatchSeat, MatchState
from pentathlon.ratings.models import LedgerState, Pool, ScoreLine

_UNSETTLED: Final = (LedgerState.WAITING, LedgerState.READY)
_COUNTS: Final = ("matches", "wins", "draws", "faults", "ahead", "level", "against")


@dataclass(frozen=True, slots=True)
class SeatEnd:
    """The result of one seat in a match."""

    version_id: int
    rank: int
    has_failed: bool


@dataclass(slots=True)
class Scores:
    """The data of tables: a line for each bot version, and the results of the seats."""

    lines: dict[int, ScoreLine] = field(default_factory=dict)
    seats: list[list[int]] = field(default_factory=list)
    """Wins, draws and losses against others at the table, by seat."""

    def count(self, ends: Sequence[SeatEnd], times: int = 1) -> None:
        """Count a match, its seats in order; -1 times takes it back."""
        best = sum(end.rank == 0 for end in ends)
        for seat, end in enumerate(ends):
            line = self.lines.setdefault(end.version_id, ScoreLine(version_id=end.version_id))
            line.matches += times
            line.wins += times * (end.rank == 0 and best == 1)
            line.draws += times * (end.rank == 0 and best > 1)
            line.faults += times * end.has_failed
            for place, other in enumerate(ends):
                if place != seat:
                    self._compare(seat, end, other, times)

    def _compare(self, seat: int, own: SeatEnd, other: SeatEnd, times: int) -> None:
        """Count one seat against another; if both failed, both have lost."""
        both_failed = own.has_failed and other.has_failed
        won = own.rank < other.rank and not both_failed
        level = own.rank == other.rank and not both_failed
        line = self.lines[own.version_id]
        line.ahead += times * won
        line.level += times * level
        column = 0 if won else 1 if level else 2
        line.against.setdefault(str(other.version_id), [0, 0, 0])[column] += times
        if not both_failed:  # two failures say nothing about the seats
            while len(self.seats) <= seat:
                self.seats.append([0, 0, 0])
            self.seats[seat][column] += times


def read_scores(pool: Pool, *, with_pairs: bool = True) -> Scores:
    """Return the scores of a tournament's pool; count now if they have not been counted."""
    if pool.seat_scores is None:
        return _counted(pool)
    lines = pool.score_lines.all() if with_pairs else pool.score_lines.defer("against")
    return Scores(lines={line.version_id: line for line in lines}, seats=pool.seat_scores)


def scores_of(seats: QuerySet[MatchSeat]) -> Scores:
    """Return the scores of the matches with these seats that were played."""
    scores = Scores()
    for ends in _ends(seats):
        scores.count(ends)
    return scores


def count_scores(pool: Pool, match_ids: Collection[int], *, times: int = 1) -> None:
    """Count matches in the scores that a locked pool keeps; -1 times takes them back.

    The caller saves the pool.
    """
    if pool.seat_scores is None or not match_ids:
        return
    matches = list(_ends(MatchSeat.objects.filter(match__in=match_ids)))
    versions = {end.version_id for ends in matches for end in ends}
    stored = pool.score_lines.filter(version__in=versions)
    scores = Scores({line.version_id: line for line in stored}, pool.seat_scores)
    for ends in matches:
        scores.count(ends, times)
    _store(pool, scores.lines.values())


def make_scores() -> int:
    """Count the results of one tournament whose pool keeps no scores yet; return how many pools.

    Only tournaments that began before there were scores need this; returns 0 once all are counted.
    """
    pool_id = Pool.objects.without_scores().order_by("pk").values_list("pk", flat=True).first()
    if pool_id is None:
        return 0
    restore_scores(pool_id=pool_id)
    return 1


@transaction.atomic
def restore_scores(*, pool_id: int) -> None:
    """Count all results of a tournament's pool anew."""
    pool = Pool.objects.select_for_update().get(pk=pool_id)
    scores = _counted(pool)
    pool.score_lines.all().delete()
    _store(pool, scores.lines.values())
    pool.seat_scores = scores.seats
    pool.done, pool.void = _settled(pool)
    pool.save(update_fields=("seat_scores", "done", "void"))


def scores_differ(pool: Pool) -> bool:
    """Return whether the scores that a pool keeps differ from what its results give."""
    stored, counted = read_scores(pool), _counted(pool)
    seats = [[row for row in scores.seats if any(row)] for scores in (stored, counted)]
    return (
        seats[0] != seats[1]
        or _facts(stored) != _facts(counted)
        or (pool.done, pool.void) != _settled(pool)
    )


def _facts(scores: Scores) -> dict[int, tuple[object, ...]]:
    """Return the lines as plain values, without counts that are back at zero."""
    facts = {}
    for version_id, line in scores.lines.items():
        if line.matches:
            met = {other: counts for other, counts in line.against.items() if any(counts)}
            facts[version_id] = (*(getattr(line, name) for name in _COUNTS[:-1]), met)
    return facts


def _counted(pool: Pool) -> Scores:
    """Count the results of all matches that a pool's ledger has settled and that stand."""
    settled = pool.rows.exclude(state__in=_UNSETTLED).filter(match__is_revoked=False)
    return scores_of(MatchSeat.objects.filter(match__in=settled.values("match")))


def _settled(pool: Pool) -> tuple[int, int]:
    """Return how many settled matches were played and how many were called off."""
    settled = pool.rows.exclude(state__in=_UNSETTLED).order_by()
    counts = settled.aggregate(
        done=Count("pk", filter=Q(match__state=MatchState.DONE)),
        void=Count("pk", filter=Q(match__state=MatchState.VOID)),
    )
    return counts["done"], counts["void"]


def _ends(seats: QuerySet[MatchSeat]) -> Iterator[list[SeatEnd]]:
    """Yield for each match that was played how it ended, seat by seat."""
    played = seats.filter(match__state=MatchState.DONE).order_by("match", "seat")
    rows = played.values_list("match", "version", "rank", "fault_kind")
    for _, part in groupby(rows.iterator(), key=itemgetter(0)):
        yield [SeatEnd(version_id, rank or 0, bool(fault)) for _, version_id, rank, fault in part]


def _store(pool: Pool, lines: Iterable[ScoreLine]) -> None:
    for line in lines:
        line.pool = pool
    store_rows(lines, unique=("pool", "version"), update=_COUNTS)
