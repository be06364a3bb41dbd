"""How far a tournament is, and when it will be over."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db.models import Count

from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.table import Progress

FEWEST_MATCHES: Final = 20
"""Fewer finished matches than this tell nothing about the pace."""

_LATEST = 200


def progress(tournament: Tournament) -> Progress:
    """Return how many matches are done, run and wait, and how long the rest will take."""
    matches = Match.objects.filter(place__tournament=tournament)
    counted = matches.order_by().values_list("state").annotate(Count("pk"))
    counts: dict[str, int] = dict(counted)
    left = counts.get(MatchState.PENDING, 0) + counts.get(MatchState.RUNNING, 0)
    latest = matches.recent().values_list("finished_at", flat=True)[:_LATEST]
    is_moving = tournament.state == TournamentState.RUNNING
    ends = [time for time in latest if time is not None] if is_moving else []
    return Progress(
        done=counts.get(MatchState.DONE, 0),
        running=counts.get(MatchState.RUNNING, 0),
        waiting=counts.get(MatchState.PENDING, 0),
        void=counts.get(MatchState.VOID, 0),
        remaining_s=remaining_s(ends, left=left),
    )


def remaining_s(latest: Sequence[datetime], *, left: int) -> float | None:
    """Return how long `left` matches take at the pace of the latest ends, newest first."""
    if len(latest) < FEWEST_MATCHES:
        return None
    taken_s = (latest[0] - latest[-1]).total_seconds()
    return left * taken_s / (len(latest) - 1)
