"""How far a tournament is, and when it will be over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Final

from django.db.models import Count, Q

from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.models import COMPETITIONS, Match, MatchState
from pentathlon.ratings.models import Pool
from pentathlon.tournaments.models import Tournament, TournamentState

FEWEST_MATCHES: Final = 20
"""Fewer finished matches than this tell nothing about the pace."""

_LATEST = 200
_SAMPLE: Final = 50
_TOGETHER_S: Final = 0.05
"""Ends less than this apart are of one batch."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class RivalTournament:
    """Another tournament that wants slots of the same workers."""

    started_at: datetime
    finished_at: datetime | None
    work_s: float
    """How long its matches that are left would take one slot."""


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
        remaining_s=_remaining_s(tournament, ends, left=waiting + running),
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
    # Matches of one batch end at about the same time, which says nothing of a pause.
    apart = [gap for gap in gaps if gap > _TOGETHER_S] or [gap for gap in gaps if gap]
    usual_s = median(apart or [0.0])
    playing = [gap for gap in gaps if gap <= _PAUSE_GAPS * usual_s]
    return left * sum(playing) / len(playing)


def share_of_slots(
    work_s: float, *, rivals: Sequence[RivalTournament], since: datetime, until: datetime
) -> float:
    """Return for how many times the latest pace holds, if tournaments share all slots alike.

    `work_s` is what this tournament has left to play, and the pace was that from `since` to
    `until`. Rivals that have begun meanwhile make it slower than it was, and rivals that end
    before it let it get faster: of their work, it waits for no more than it has itself.
    """
    seconds = (until - since).total_seconds()
    before = sum(_overlap_s(rival, since, until) for rival in rivals)
    lanes_then = 1 + (before / seconds if seconds > 0 else 0)
    lanes_now = 1 + sum(min(1.0, rival.work_s / work_s) for rival in rivals) if work_s else 1.0
    return lanes_now / lanes_then


def _overlap_s(rival: RivalTournament, since: datetime, until: datetime) -> float:
    begun, ended = max(rival.started_at, since), min(rival.finished_at or until, until)
    return max(0.0, (ended - begun).total_seconds())


def _remaining_s(tournament: Tournament, latest: Sequence[datetime], *, left: int) -> float | None:
    """Return the time that is left, as far as others want the same slots."""
    at_this_pace = remaining_s(latest, left=left)
    if not at_this_pace:
        return at_this_pace
    lengths_s = _Lengths()
    rivals = _rivals(tournament, since=latest[-1], lengths_s=lengths_s)
    work_s = left * lengths_s.of(tournament.game)
    share = share_of_slots(work_s, rivals=rivals, since=latest[-1], until=latest[0])
    # The last ones wait for what workers were told of before, however few they are.
    return max(at_this_pace * share, _backlog_s(lengths_s))


class _Lengths:
    """How long matches of each game take at the moment, read once for each."""

    def __init__(self) -> None:
        self._known: dict[str, float] = {}

    def of(self, game: str) -> float:
        """Return the mean of the latest ones, in seconds; 0 if none has ended."""
        if game not in self._known:
            ended = Match.objects.of_game(game).recent()
            times = ended.values_list("started_at", "finished_at")[:_SAMPLE]
            spans = [(end - start).total_seconds() for start, end in times if start and end]
            self._known[game] = sum(spans) / len(spans) if spans else 0.0
        return self._known[game]


def _rivals(
    tournament: Tournament, *, since: datetime, lengths_s: _Lengths
) -> list[RivalTournament]:
    """Return the other tournaments that play or have played since then: one query."""
    began = Tournament.objects.organised().filter(started_at__isnull=False)
    ended_since = Q(state=TournamentState.CLOSED, finished_at__gt=since)
    others = began.filter(Q(state=TournamentState.RUNNING) | ended_since).exclude(pk=tournament.pk)
    facts = ("game", "started_at", "finished_at", "planned", "pool__done", "pool__void")
    rivals = []
    for game, begun, ended, planned, done, void in others.values_list(*facts):
        left = 0 if ended else max(0, planned - (done or 0) - (void or 0))
        # What has all its matches behind it and is about to close keeps nobody waiting.
        if begun and (left or ended):
            work_s = left * lengths_s.of(game)
            rivals.append(RivalTournament(started_at=begun, finished_at=ended, work_s=work_s))
    return rivals


def _backlog_s(lengths_s: _Lengths) -> float:
    """Return how long the slots are taken by what is played and what workers were told of."""
    live = Match.objects.live().order_by().values_list("game", flat=True)
    sent = Match.objects.sent().order_by().values_list("game", flat=True)
    # Of what is played, half is over on average.
    work_s = sum(lengths_s.of(game) / 2 for game in live) + sum(map(lengths_s.of, sent))
    return work_s / max(1, read_fleet().slots)
