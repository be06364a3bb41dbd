"""Makes the meetings of matches from their seats and from the ledger."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from itertools import combinations
from typing import Final, NamedTuple

from pentathlon.insight.rivalry.expectations import Expectation, expect, turn
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool, RatingChange
from pentathlon.ratings.skill import Skill
from pentathlon.ratings.uncertainty import is_provisional
from pentathlon_engines.strength.block_scores import WIN

_UNSETTLED: Final = (LedgerState.WAITING, LedgerState.READY)


class MeetingSide(NamedTuple):
    """One seat of a match. Seats sort in the order of the two sides of a meeting."""

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
    found: dict[int, Rated] = defaultdict(Rated)
    rows = LedgerRow.objects.filter(match__in=match_ids).select_related("pool")
    live: dict[int, int] = {}
    for row in rows.order_by("pk"):
        rated = found[row.match_id]
        rated.is_settled &= row.state not in _UNSETTLED
        rated.is_repeat |= row.reason == LedgerReason.REPEAT
        if row.pool.is_live and row.state == LedgerState.APPLIED:
            rated.pool = row.pool
            live[row.pk] = row.match_id
    changes = RatingChange.objects.filter(row__in=live)
    columns = ("row", "version", "mu_before", "sigma_before")
    for row_id, version_id, mu, sigma in changes.values_list(*columns):
        found[live[row_id]].before[version_id] = Skill(mu, sigma)
    return found


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
        _meeting(match, first, second, rated, seats=len(sides))
        for first, second in combinations(sorted(sides), 2)
        if first.version_id != second.version_id
    ]


def public_results(match_ids: Collection[int]) -> dict[int, Match]:
    """Return those of these matches whose results stand and may be seen by everybody."""
    done = Match.objects.public().filter(state=MatchState.DONE, is_revoked=False)
    return done.only(*_COLUMNS).in_bulk(list(match_ids))


_COLUMNS: Final = ("game", "kind", "lane", "ply", "finished_at", "outcome_reason")


def _meeting(
    match: Match, first: MeetingSide, second: MeetingSide, rated: Rated, *, seats: int
) -> Meeting:
    points = _half_points(first, second), _half_points(second, first)
    expected = _expected(first, second, rated)
    assert match.finished_at is not None  # noqa: S101  a constraint says so
    made = Meeting(
        match_id=match.pk,
        first_bot_id=first.bot_id,
        second_bot_id=second.bot_id,
        first_id=first.version_id,
        second_id=second.version_id,
        first_seat=first.seat,
        second_seat=second.seat,
        seats=seats,
        game=match.game,
        kind=match.kind,
        lane=match.lane,
        plies=match.ply,
        ended_on=match.finished_at.astimezone(UTC).date(),
        first_half_points=points[0],
        second_half_points=points[1],
        is_repeat=rated.is_repeat,
    )
    if expected is not None:
        made.expected, made.variance = expected
        if WIN in points and first.bot_id != second.bot_id and not rated.is_repeat:
            winner, loser = (first, second) if points[0] == WIN else (second, first)
            theirs = expected if winner is first else turn(expected)
            _note_win(made, winner, loser, theirs, rated.before)
    return made


def _note_win(
    made: Meeting,
    winner: MeetingSide,
    loser: MeetingSide,
    expected: Expectation,
    before: Mapping[int, Skill],
) -> None:
    """Note whose win it is, unless it came from a fault of the loser."""
    if loser.has_failed:
        return
    skill = before[loser.version_id]
    made.winner_id = winner.bot_id
    made.beaten_score = skill.score
    if made.seats == 2 and not any(map(is_provisional, _both(before, winner, loser))):  # noqa: PLR2004  a duel
        made.surprise = expected.share


def _both(before: Mapping[int, Skill], *sides: MeetingSide) -> Iterator[Skill]:
    return (before[side.version_id] for side in sides)


def _half_points(own: MeetingSide, other: MeetingSide) -> int:
    """Return the half points that one seat took from another; if both failed, both have lost."""
    if own.has_failed and other.has_failed:
        return 0
    return WIN if own.rank < other.rank else int(own.rank == other.rank)


def _expected(first: MeetingSide, second: MeetingSide, rated: Rated) -> Expectation | None:
    if rated.pool is None:
        return None
    own, theirs = rated.before.get(first.version_id), rated.before.get(second.version_id)
    if own is None or theirs is None:
        return None
    pool = rated.pool
    return expect(own, theirs, draw_probability=pool.draw_probability, beta=pool.beta)
