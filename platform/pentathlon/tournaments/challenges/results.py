"""The standing of a challenge, read from its matches block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch

from pentathlon.matches.models import Match, MatchQuerySet, MatchSeat, MatchState
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon_engines.strength.sprt import WIN, Sprt, SprtDecision, half_points

SPRT = Sprt()
"""A test of whether the challenger is better, the same as in A/B tournaments."""
_MOST_READ = 100
"""The most challenges between the same two that a test reads: at most 2,000 blocks."""
_UNENDED = (MatchState.PENDING, MatchState.RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class SprtReading:
    """The state of the sequential test after all complete blocks between two versions."""

    decision: SprtDecision
    ratio: float
    """The log-likelihood ratio; outside the bounds it decides."""
    lower: float
    upper: float
    blocks: int
    """How many blocks were read: up to the decision, or all."""
    counts: tuple[int, ...]
    """How many of these blocks gave the challenger each number of half points, from 0."""
    first_look: int
    """The number of blocks before which no decision is made."""


def reading_of(cells: Sequence[int], *, matches: int) -> SprtReading | None:
    """Return what the sequential test says of blocks in their order; None before the first one.

    `cells` are their half points, `matches` those of a block. The test looks after 20 blocks and
    then after every 4: read more often, it errs more often than it states. One challenge is too
    short to decide between .50 and .55, so the blocks of all challenges between the same two
    versions count, including cancelled ones: whoever could leave out bad results would always find
    what they are looking for.
    """
    if not cells:
        return None
    decision, counts = SPRT.run(cells, matches=matches)
    lower, upper = SPRT.bounds
    return SprtReading(
        decision=decision,
        ratio=SPRT.ratio(counts),
        lower=lower,
        upper=upper,
        blocks=sum(counts),
        counts=tuple(counts),
        first_look=SPRT.first_look,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeBlock:
    """The matches with one seed, in balanced seat orders."""

    number: int
    """The number of the block, from 1."""
    matches: tuple[Match, ...]
    half_points: int | None
    """The challenger's half points; None unless every match was played."""

    @property
    def is_done(self) -> bool:
        """Whether none of its matches can be played any more."""
        return all(match.state not in _UNENDED for match in self.matches)

    @property
    def seed(self) -> int | None:
        """The seed of the block; None as long as a match with this seed can still be played."""
        return self.matches[0].seed if self.is_done else None

    @property
    def points(self) -> float | None:
        """The challenger's points; None unless the block is complete."""
        return None if self.half_points is None else self.half_points / WIN


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeSeat:
    """The challenger's result in one seat."""

    seat: int
    wins: int
    draws: int
    losses: int

    @property
    def matches(self) -> int:
        """The number of matches played in this seat."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float | None:
        """The challenger's share of the points; None before the first match."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else None


def with_ranks(matches: MatchQuerySet) -> MatchQuerySet:
    """Load the versions and ranks of the seats with matches, and nothing else of the seats."""
    seats = MatchSeat.objects.order_by("seat").only("match", "seat", "version", "rank")
    return matches.prefetch_related(Prefetch("seats", queryset=seats))


def blocks_of(challenge: Challenge, matches: Sequence[Match]) -> list[ChallengeBlock]:
    """Return the blocks of a challenge; `matches` are all of its matches in order."""
    size = challenge.block_size
    parts = [tuple(matches[start : start + size]) for start in range(0, len(matches), size)]
    return [
        ChallengeBlock(number=number, matches=part, half_points=_total(challenge, part))
        for number, part in enumerate(parts, start=1)
    ]


def cells_of(blocks: Sequence[ChallengeBlock]) -> list[int]:
    """Return the half points of the complete blocks in their order."""
    return [block.half_points for block in blocks if block.half_points is not None]


def read_test(challenge: Challenge) -> SprtReading | None:
    """Test whether the challenger is better, by all challenges of these two up to this one."""
    meetings = Challenge.objects.filter(
        version=challenge.version_id,
        opponent=challenge.opponent_id,
        game=challenge.game,
        others=challenge.others,
        pk__lte=challenge.pk,
    )
    latest = meetings.order_by("-pk").values_list("cells", flat=True)[:_MOST_READ]
    cells = [cell for part in reversed(latest) for cell in part]
    return reading_of(cells, matches=challenge.block_size)


def seats_of(challenge: Challenge, matches: Sequence[Match]) -> list[ChallengeSeat]:
    """Return the challenger's results by seat, those in incomplete blocks included."""
    found: dict[int, list[int]] = {}
    for match in matches:
        seat = _seat_of(match, challenge.version_id)
        tally = found.setdefault(seat, [0, 0, 0])
        if match.state == MatchState.DONE:
            tally[_points(challenge, match)] += 1
    return [
        ChallengeSeat(seat=seat, wins=wins, draws=draws, losses=losses)
        for seat, (losses, draws, wins) in sorted(found.items())
    ]


def _total(challenge: Challenge, matches: Sequence[Match]) -> int | None:
    if any(match.state != MatchState.DONE for match in matches):
        return None
    return sum(_points(challenge, match) for match in matches)


def _points(challenge: Challenge, match: Match) -> int:
    ranks = [seat.rank or 0 for seat in match.seats.all()]
    return half_points(
        ranks,
        own=_seat_of(match, challenge.version_id),
        other=_seat_of(match, challenge.opponent_id),
    )


def _seat_of(match: Match, version_id: int) -> int:
    return next(seat.seat for seat in match.seats.all() if seat.version_id == version_id)
