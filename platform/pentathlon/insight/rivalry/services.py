"""Makes the meetings of results: each counts once, whatever runs twice.

A match that ends is queued in the transaction that ends it. A step of the reconciler takes matches
from the queue in small parts and replaces their meetings by those of their present result. A match
whose result was taken back is queued again, and then has none.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from itertools import permutations
from typing import Final, NamedTuple

from django.db import transaction

from pentathlon.core.statements import store_rows
from pentathlon.insight.rivalry.models import Meeting, UncountedResult
from pentathlon.insight.rivalry.scores import Expectation, expect
from pentathlon.matches.models import PRIVATE_KINDS, Match, MatchSeat, MatchState
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool, RatingChange
from pentathlon.ratings.skill import Skill
from pentathlon.ratings.uncertainty import is_provisional
from pentathlon_engines.strength.sprt import WIN

_UNSETTLED: Final = (LedgerState.WAITING, LedgerState.READY)
_STEP_S: Final = 0.3
_AT_ONCE: Final = 25
"""Matches counted in one transaction: 50 rows at tables of two, 500 at tables of five."""
_AT_ONCE_IN_ALL: Final = 500
"""The same where nobody waits for the transaction's locks."""


class MeetingSide(NamedTuple):
    """One seat of a match."""

    bot_id: int
    version_id: int
    seat: int
    rank: int
    has_failed: bool


@dataclass(slots=True)
class Rated:
    """The ratings before a match."""

    is_settled: bool = True
    is_repeat: bool = False
    pool: Pool | None = None
    """The live leaderboard on which the match counts; None if it counts on none."""
    before: dict[int, Skill] = field(default_factory=dict)
    """Ratings by version, right before the match."""


def read_rated(match_ids: Collection[int]) -> dict[int, Rated]:
    """Return the ratings before matches, as the ledger has them; two queries."""
    by_match: dict[int, Rated] = defaultdict(Rated)
    rows = LedgerRow.objects.filter(match__in=match_ids).select_related("pool")
    live: dict[int, int] = {}
    for row in rows.order_by("pk"):
        rated = by_match[row.match_id]
        rated.is_settled &= row.state not in _UNSETTLED
        rated.is_repeat |= row.reason == LedgerReason.REPEAT
        if row.pool.is_live and row.state == LedgerState.APPLIED:
            rated.pool = row.pool
            live[row.pk] = row.match_id
    changes = RatingChange.objects.filter(row__in=live)
    columns = ("row", "version", "mu_before", "sigma_before")
    for row_id, version_id, mu, sigma in changes.values_list(*columns):
        by_match[live[row_id]].before[version_id] = Skill(mu, sigma)
    return by_match


def read_sides(match_ids: Collection[int]) -> dict[int, list[MeetingSide]]:
    """Return the seats of matches that were played; one query."""
    sides: dict[int, list[MeetingSide]] = defaultdict(list)
    rows = MatchSeat.objects.filter(match__in=match_ids).order_by("match", "seat")
    columns = ("match", "version__bot", "version", "seat", "rank", "fault_kind")
    for match_id, bot_id, version_id, seat, rank, fault in rows.values_list(*columns):
        sides[match_id].append(MeetingSide(bot_id, version_id, seat, rank or 0, bool(fault)))
    return sides


def make_meetings(match: Match, sides: Sequence[MeetingSide], rated: Rated) -> list[Meeting]:
    """Return the meetings of a played match, without those of a version with itself."""
    return [
        _meeting(match, own, other, rated, seats=len(sides))
        for own, other in permutations(sides, 2)
        if own.version_id != other.version_id
    ]


def _meeting(
    match: Match, own: MeetingSide, other: MeetingSide, rated: Rated, *, seats: int
) -> Meeting:
    assert match.finished_at is not None  # noqa: S101  a constraint says so
    meeting = Meeting(
        match_id=match.pk,
        bot_id=own.bot_id,
        other_id=other.bot_id,
        version_id=own.version_id,
        other_version_id=other.version_id,
        seat=own.seat,
        other_seat=other.seat,
        seats=seats,
        game=match.game,
        kind=match.kind,
        lane=match.lane,
        plies=match.ply,
        finished_at=match.finished_at,
        ended_on=match.finished_at.astimezone(UTC).date(),
        half_points=_half_points(own, other),
        have_both_failed=own.has_failed and other.has_failed,
        is_repeat=rated.is_repeat,
    )
    expected = _expected(own, other, rated)
    if expected is not None:
        meeting.expected, meeting.variance = expected
        is_win = meeting.half_points == WIN and own.bot_id != other.bot_id
        if is_win and not other.has_failed:
            before = rated.before[own.version_id], rated.before[other.version_id]
            meeting.beaten_score = before[1].score
            if seats == 2 and not any(map(is_provisional, before)):  # noqa: PLR2004  a duel
                meeting.surprise = expected.share
    return meeting


def _half_points(own: MeetingSide, other: MeetingSide) -> int:
    """Return the half points that one seat took from another; if both failed, both have lost."""
    if own.has_failed and other.has_failed:
        return 0
    return WIN if own.rank < other.rank else int(own.rank == other.rank)


def _expected(own: MeetingSide, other: MeetingSide, rated: Rated) -> Expectation | None:
    pool, before = rated.pool, rated.before
    if pool is None or rated.is_repeat or not {own.version_id, other.version_id} <= before.keys():
        return None
    return expect(
        before[own.version_id],
        before[other.version_id],
        draw_probability=pool.draw_probability,
        beta=pool.beta,
    )


def queue_results(match_ids: Collection[int]) -> None:
    """Have the results of matches counted soon, or counted again; in the caller's transaction."""
    store_rows(UncountedResult(match_id=pk) for pk in sorted(match_ids))


@dataclass(slots=True)
class ResultCounter:
    """Counts the queued results; it remembers how far it has looked.

    A result that cannot be counted yet, because no rating has been applied, holds up no other.
    """

    at_once: int = _AT_ONCE
    after: int = 0

    def count_results(self, *, for_s: float = _STEP_S) -> int:
        """Count results for about `for_s` seconds; return how many were settled."""
        deadline = time.monotonic() + for_s
        settled = 0
        while True:
            part, seen = self._count_part()
            settled += part
            if seen < self.at_once or time.monotonic() > deadline:
                return settled

    @transaction.atomic
    def _count_part(self) -> tuple[int, int]:
        """Count the next results of the queue; return how many were settled, and looked at."""
        waiting = UncountedResult.objects.filter(pk__gt=self.after).order_by("pk")
        queued = dict(waiting.values_list("pk", "match")[: self.at_once])
        settled = _settle(set(queued.values()))
        UncountedResult.objects.filter(pk__in=queued, match__in=settled).delete()
        self.after = max(queued) if len(queued) == self.at_once else 0
        return len(settled), len(queued)


def count_all() -> int:
    """Count everything that can be counted now; return how many results were settled."""
    counter, settled = ResultCounter(at_once=_AT_ONCE_IN_ALL), 0
    while part := counter.count_results(for_s=60):
        settled += part
    return settled


def _settle(ids: Collection[int]) -> set[int]:
    """Make the meetings of matches as they stand now; return those that wait for no rating."""
    # Of two counters with the same match, the later one must see what the earlier one made.
    locked = Match.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)
    matches = {match.pk: match for match in locked}
    rated = read_rated(ids)
    settled = {pk for pk in ids if rated[pk].is_settled}
    Meeting.objects.filter(match__in=settled).delete()
    counted = [pk for pk in sorted(settled) if _is_counted(matches[pk])]
    sides = read_sides(counted)
    _add_meetings(
        made for pk in counted for made in make_meetings(matches[pk], sides[pk], rated[pk])
    )
    return settled


def _add_meetings(made: Iterable[Meeting]) -> None:
    store_rows(made)


def _is_counted(match: Match) -> bool:
    stands = match.state == MatchState.DONE and not match.is_revoked
    return stands and match.kind not in PRIVATE_KINDS
