"""Measures the error of a tournament's estimated time on a simulated pace."""

from __future__ import annotations

import heapq
from datetime import UTC, datetime, timedelta
from operator import attrgetter
from random import Random
from typing import Final

from pentathlon.tournaments.estimates.time_left import (
    LEFT_OF_LIVE,
    Span,
    WorkLeft,
    expected_match_s,
    idle_per_match_s,
    time_left_s,
)

MATCHES: Final = 2_000
_BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
_SPREAD: Final = 0.5
"""The standard deviation of log durations: the longest twentieth take five times the shortest."""


def error_of_estimate(seed: int, *, pause_s: float) -> float:
    """Return the relative error of the time left that is estimated after a tenth of the matches.

    Some slots play one match after the other; after a twentieth, all of them pause once.
    """
    random = Random(seed)
    slots = random.choice((2, 4, 8, 32))
    mean_s = random.choice((0.3, 2.0, 20.0))
    played = _play(random, slots=slots, mean_s=mean_s)
    tenth = MATCHES // 10
    pause_at = played[MATCHES // 20].end
    delayed = (_delay(span, pause_s) if span.begin >= pause_at else span for span in played)
    shown = sorted(delayed, key=attrgetter("end"))
    until = shown[tenth - 1].end
    known = [span for span in shown if span.begin < until]
    running = len(known) - tenth
    over = tenth + running * LEFT_OF_LIVE
    idle_s = idle_per_match_s(known, since=_BEGIN, until=until, slots=slots, matches=over)
    lengths_s = [(span.end - span.begin).total_seconds() for span in shown[:tenth]]
    match_s = expected_match_s(lengths_s, others_s=())
    if match_s is None:
        return 1.0
    waiting = MATCHES - tenth - running
    work = WorkLeft(match_s=match_s, idle_s=idle_s, running=running, waiting=waiting)
    truth = (shown[-1].end - until).total_seconds()
    return abs(time_left_s(work, slots=slots) - truth) / truth


def _delay(span: Span, pause_s: float) -> Span:
    pause = timedelta(seconds=pause_s)
    return Span(begin=span.begin + pause, end=span.end + pause)


def _play(random: Random, *, slots: int, mean_s: float) -> list[Span]:
    """Return when the matches are played, in the order of their ends."""
    busy = [_BEGIN] * slots
    played = []
    for _ in range(MATCHES):
        begin = heapq.heappop(busy)
        end = begin + timedelta(seconds=mean_s * random.lognormvariate(0, _SPREAD))
        heapq.heappush(busy, end)
        played.append(Span(begin=begin, end=end))
    return sorted(played, key=attrgetter("end"))
