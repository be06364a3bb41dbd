"""Who won a match, and how, in one sentence for people who open no table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pentathlon.matches.models import Match, MatchSeat
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count, enumerate_all

_PAIR = 2


def tell_match(match: Match) -> str:
    """Return the result of a played match in a sentence; load the match with its seats.

    It tells the end: whoever shows a replay from its first ply folds it.
    """
    seats = sorted(match.seats.all(), key=lambda seat: (seat.rank or 0, seat.seat))
    names = dict(zip(seats, _names(seats), strict=True))
    winners = [seat for seat in seats if seat.rank == 0]
    said = enumerate_all([names[seat] for seat in winners or seats])
    if not winners:
        return f"{said} all failed."
    others = [seat for seat in seats if seat.rank]
    if not others:
        return f"{said} drew{_score(seats)}: {_why(match, names)}."
    if len(seats) == _PAIR:
        return f"{said} beat {names[others[0]]}{_score(seats)}: {_why(match, names)}."
    best = "" if winners[0].score is None else f" with {count(winners[0].score, 'point')}"
    behind = enumerate_all([names[seat] for seat in others if seat.rank == others[0].rank])
    return f"{said} won{best}, ahead of {behind}: {_why(match, names)}."


def _names(seats: Sequence[MatchSeat]) -> list[str]:
    """Return the name of each bot, with its version where a bot sits twice."""
    times = Counter(seat.version.bot.name for seat in seats)
    return [
        seat.version.bot.name if times[seat.version.bot.name] == 1 else seat.version.label
        for seat in seats
    ]


def _score(seats: Sequence[MatchSeat]) -> str:
    """Return the points of two seats, the better one's first."""
    scores = [seat.score for seat in seats]
    return "" if None in scores or len(scores) != _PAIR else f" {scores[0]}–{scores[1]}"


def _why(match: Match, names: dict[MatchSeat, str]) -> str:
    if match.outcome_reason == "fault":
        at_fault = [
            f"{name} ({_words(seat.fault_kind)})"
            for seat, name in names.items()
            if seat.fault_kind
        ]
        return f"by the fault of {enumerate_all(at_fault)}" if at_fault else "by a fault"
    endings = GAMES[match.game].commentary().endings() if match.game in GAMES else {}
    return endings.get(match.outcome_reason, _words(match.outcome_reason))


def _words(code: str) -> str:
    return code.replace("_", " ")
