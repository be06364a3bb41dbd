"""How often each seat won: the check that no seat is better to have."""

from dataclasses import dataclass

from pentathlon.matches.models import Match, MatchKind, MatchSeat, MatchState

_LATEST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatShare:
    """The share of matches that one seat won; a tie for first counts in parts."""

    seat: int
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatWins:
    """All seats of a game, over its latest matches with the usual number of seats."""

    rows: list[SeatShare]
    total: int


def seat_wins(game: str, *, seats: int) -> SeatWins:
    """Count who came first in the latest finished matches of a game."""
    latest = (
        Match.objects.of_game(game)
        .filter(state=MatchState.DONE, kind=MatchKind.TOURNAMENT, is_revoked=False)
        .order_by("-pk")
        .values_list("pk", flat=True)[:_LATEST]
    )
    firsts: dict[int, list[int]] = {}
    winners = MatchSeat.objects.filter(match__in=list(latest), rank=0, seat__lt=seats)
    for match_id, seat in winners.values_list("match_id", "seat"):
        firsts.setdefault(match_id, []).append(seat)
    sums = [0.0] * seats
    for tied in firsts.values():
        for seat in tied:
            sums[seat] += 1 / len(tied)
    total = len(firsts)
    rows = [SeatShare(seat=seat, share=won / max(total, 1)) for seat, won in enumerate(sums)]
    return SeatWins(rows=rows, total=total)
