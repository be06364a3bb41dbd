"""Which results count, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool
from pentathlon.ratings.skill import Result

UNRATED_SANDBOX: Final = "process"
"""Matches of bots that ran without a sandbox count in no leaderboard.

They count in the pool of their own tournament: its table has one rule for points and strengths.
"""


def counting_seats(pool: Pool) -> QuerySet[MatchSeat]:
    """Return the seats of all matches whose results may count in a pool."""
    seats = MatchSeat.objects.filter(match__state=MatchState.DONE, match__is_revoked=False)
    return seats.exclude(match__sandbox=UNRATED_SANDBOX) if pool.is_live else seats


def rows_without_sandbox(pool: Pool) -> QuerySet[LedgerRow]:
    """Return the rows that a pool skipped because the bots ran without a sandbox."""
    return pool.rows.filter(state=LedgerState.SKIPPED, reason=LedgerReason.NO_SANDBOX)


def why_not_counted(match: Match, pool: Pool) -> LedgerReason | None:
    """Return why an ended match does not count in a pool; load its seats before."""
    if match.state != MatchState.DONE:
        return LedgerReason.VOID
    if match.is_revoked:
        return LedgerReason.REVOKED
    if pool.is_live and match.sandbox == UNRATED_SANDBOX:
        return LedgerReason.NO_SANDBOX
    versions = [seat.version_id for seat in match.seats.all()]
    return LedgerReason.SAME_VERSION if len(set(versions)) < len(versions) else None


def among_own() -> Exists:
    """Return the condition of a match in which two bots belong to one author.

    Reference bots, which the platform owns, may meet each other; two seats of one version do not
    count as two bots.
    """
    others = MatchSeat.objects.filter(
        match=OuterRef("match"),
        version__bot__owner=OuterRef("version__bot__owner"),
        seat__gt=OuterRef("seat"),
    ).exclude(version=OuterRef("version"))
    seats = MatchSeat.objects.filter(match=OuterRef("pk"), version__bot__is_reference=False)
    return Exists(seats.filter(Exists(others)))


def read_results(seats: QuerySet[MatchSeat], *, by: str) -> Iterator[tuple[int, Result]]:
    """Yield (id, result) for each value of the column `by`, in its order.

    The seats must be ordered by that column, or by one that groups them in the same way.
    """
    rows = seats.values_list(by, "version_id", "rank")
    for key, part in groupby(rows, key=itemgetter(0)):
        _, players, ranks = zip(*part, strict=True)
        yield key, Result(players, ranks)
