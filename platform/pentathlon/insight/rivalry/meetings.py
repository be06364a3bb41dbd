"""Makes the meetings of matches from their seats and from the ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from itertools import permutations
from typing import Final, NamedTuple

from pentathlon.insight.rivalry.expectations import Expectation, expect
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.matches.models import Match, MatchSeat
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool, RatingChange
from pentathlon.ratings.skill import Skill
from pentathlon.ratings.uncertainty import is_provisional
from pentathlon_engines.strength.sprt import WIN

_UNSETTLED: Final = (LedgerState.WAITING, LedgerState.READY)


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
