"""How far a tournament is, and when it will be over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Final

from django.db.models import Count

from pentathlon.matches.models import COMPETITIONS, Match, MatchState
from pentathlon.ratings.models import Pool
from pentathlon.tournaments.models import Tournament, TournamentState

FEWEST_MATCHES: Final = 20
"""Fewer finished matches than this tell nothing about the pace."""

_LATEST = 200
_PAUSE_GAPS: Final = 30
"""A time without an end is a pause if it is this many times the median of such times: where ends
come at random, one in a billion is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a tournament is, in matches."""

    done: int
    running: int
    waiting: int
    void: int
    remaining_s: float | None
    """Until the last match ends at the present pace; None if too few have ended to tell."""
    fewest: int | None = None
    """Matches in all if results go one way; None: their number is known."""
    most: int | None = None

    @property
    def total(self) -> int:
        """All matches of the schedule."""
        return self.done + self.running + self.waiting + self.void

    @property
    def share(self) -> float:
        """Of the matches that have ended, from 0 to 1."""
        return (self.done + self.void) / self.total if self.total else 0.0


NOTHING_PLAYED: Final = Progress(done=0, running=0, waiting=0, void=0, remaining_s=None)
"""What is said of a tournament whose results are hidden."""


def progress(tournament: Tournament) -> Progress:
    """Return how many matches are done, run and wait, and how long the rest will take.

    A match counts as ended once it is rated, so the figures agree with the table.
    """
    matches = Match.objects.of_lane(tournament.pk).filter(kind__in=COMPETITIONS)
    done, void = _ended(tournament)
    running = matches.live().count()
    waiting = max(0, tournament.planned - done - void - running)
    latest = matches.recent().values_list("finished_at", flat=True)[:_LATEST]
    is_moving = tournament.state == TournamentState.RUNNING
    ends = [time for time in latest if time is not None] if is_moving else []
    return Progress(
        done=done,
        running=running,
        waiting=waiting,
        void=void,
        remaining_s=remaining_s(ends, left=waiting + running),
        fewest=tournament.fewest,
        most=tournament.most,
    )


def count_done(tournament: Tournament) -> int:
    """Return how many matches have been played, as `progress` says."""
    return _ended(tournament)[0]


def _ended(tournament: Tournament) -> tuple[int, int]:
    """Return how many matches were played and how many called off."""
    pool = Pool.objects.filter(tournament=tournament).first()
    if pool is not None and pool.seat_scores is not None:
        return pool.done, pool.void
    ended = Match.objects.of_lane(tournament.pk).filter(kind__in=COMPETITIONS)
    counts: dict[str, int] = dict(ended.order_by().values_list("state").annotate(Count("pk")))
    return counts.get(MatchState.DONE, 0), counts.get(MatchState.VOID, 0)


def remaining_s(latest: Sequence[datetime], *, left: int) -> float | None:
    """Return how long `left` matches take at the pace of the latest ends, newest first.

    Times in which nothing ended for far longer than usual were pauses, and don't count.
    """
    if len(latest) < FEWEST_MATCHES:
        return None
    gaps = [(later - earlier).total_seconds() for later, earlier in pairwise(latest)]
    # Matches that were handed in together have gaps of 0, which say nothing of a pause.
    usual_s = median([gap for gap in gaps if gap] or [0.0])
    playing = [gap for gap in gaps if gap <= _PAUSE_GAPS * usual_s]
    return left * sum(playing) / len(playing)
