"""Estimates the end of a tournament from the work before it and the slots that play.

Both are known after its first matches. The pace at which its own matches end says little: lanes
take turns, so many of them end at once and then none for a while. How lanes share slots is
measured: ladders play on slots that would stand still, and lanes with unlike matches or bots do
not share slots evenly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from statistics import median
from typing import Final, NamedTuple

_OTHERS_WEIGH: Final = 3
"""The weight of the latest other matches of its game, in matches of its own."""
_ROUNDS_WEIGH: Final = 2
"""The weight of what lanes have in flight at present, in rounds of play."""
_ALL_BUSY_WEIGHS_S: Final = 5.0
"""The weight of the first assumptions, in seconds of play: no slot waits, and no ladder plays."""
_PAUSE_SPANS: Final = 10
"""Time without play is a pause if longer than `_PAUSE_S` and than this many usual batches."""
_PAUSE_S: Final = 10.0
LEFT_OF_LIVE: Final = 0.5
"""The share of a running match that is left to play, on average."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A period in which one slot was busy."""

    begin: datetime
    end: datetime


class Together(NamedTuple):
    """How long a tournament and another lane have kept slots busy since both began."""

    own_s: float
    other_s: float


NOT_TOGETHER: Final = Together(0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherLane:
    """Another lane that wants the same slots; times are those that one slot takes."""

    left_s: float
    """The time for all its matches that are left."""
    in_flight_s: float
    """The time for its matches that are running, or that workers were told of."""
    ahead_s: Sequence[float] = ()
    """What is left of that before each match of the tournament that is in flight, in order."""
    together: Together = NOT_TOGETHER
    """How long slots have played for both lanes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkLeft:
    """The work until the end of a tournament."""

    match_s: float
    """How long one slot takes for one of its matches."""
    idle_s: float = 0.0
    """How long a slot waits before each of them; times of other lanes include their waits."""
    waiting: int
    running: int
    in_flight: int = 0
    """How many of its matches are being played, or were told to workers."""
    rivals: Collection[OtherLane] = ()
    ladders_s: float = 0.0
    """How long the running matches of ladders still take."""
    ladders_share: float = 0.0
    """Seconds of play for ladders per second of play for others, as far as is known."""


def time_left_s(work: WorkLeft, *, slots: int) -> float:
    """Return the time until the last match of a tournament ends, with so many slots."""
    left = work.waiting + work.running
    if not left:
        return 0.0
    # On average, half of a running match is over.
    matches = work.waiting + work.running * LEFT_OF_LIVE
    own_s = (work.match_s + work.idle_s) * matches
    before_end_s = own_s + sum(_delay_s(work, own_s, rival) for rival in work.rivals)
    if not work.waiting:
        return max(before_end_s / slots, work.match_s / 2)
    shared_s = max(0.0, before_end_s - work.match_s) * (1 + work.ladders_share) + work.ladders_s
    # All slots share the work before the last match, which one of them plays.
    return shared_s / slots + work.match_s


def _delay_s(work: WorkLeft, own_s: float, rival: OtherLane) -> float:
    """Return how much work of a rival is played before the end.

    Workers follow hints in the order in which they were sent, and each match that ends is replaced
    by another of its lane. So the matches in flight are played round by round, and the last match
    has its place in the last round. But bots' caps and the times of publishing change what is in
    flight from one moment to the next; the work done for both lanes so far tells how much is
    usually in flight.
    """
    if not (work.in_flight and rival.in_flight_s):
        # One of the two has just begun, and both will have as much in flight.
        by_rounds_s = own_s
    else:
        rounds, place = divmod(work.waiting + work.running - 1, work.in_flight)
        by_rounds_s = rounds * rival.in_flight_s + rival.ahead_s[place]
        if not rounds:
            return min(rival.left_s, by_rounds_s)
    # Adds some rounds that are played as told, so that the first moments weigh little.
    match_s = own_s / (work.waiting + work.running)
    told_s = _ROUNDS_WEIGH * match_s * max(1, work.in_flight)
    other_s = rival.together.other_s + told_s * by_rounds_s / own_s
    return min(rival.left_s, own_s * other_s / (rival.together.own_s + told_s))


def expected_match_s(own_s: Sequence[float], *, others_s: Sequence[float]) -> float | None:
    """Return the expected length of a match, by ended ones of its lane and others of its game."""
    if not others_s:
        return sum(own_s) / len(own_s) if own_s else None
    before_s = sum(others_s) / len(others_s)
    return (sum(own_s) + _OTHERS_WEIGH * before_s) / (len(own_s) + _OTHERS_WEIGH)


def idle_per_match_s(
    spans: Iterable[Span], *, since: datetime, until: datetime, slots: int, matches: float
) -> float:
    """Return how long slots waited for each match, without pauses.

    In `matches`, a running match counts as the part of it that is over.

    Taking the next hint takes about the same time before a short match and before a long one. It
    does not matter whose matches the slots played: a slot that one lane leaves goes to another.
    """
    inside = [
        Span(begin=max(span.begin, since), end=min(span.end, until))
        for span in spans
        if span.end > since and span.begin < until
    ]
    if not matches or not inside:
        return 0.0
    pauses = _find_pauses(inside, since=since, until=until)
    seconds = (until - since).total_seconds() - sum(map(_length_s, pauses))
    busy_s = sum(_length_s(span) for span in inside)
    busy_s -= sum(_overlap_s(span, pause) for pause in pauses for span in inside)
    # Adds a while in which all slots were busy, so that the first moments weigh little.
    share = busy_s / (busy_s + slots * _ALL_BUSY_WEIGHS_S)
    return share * max(0.0, slots * seconds - busy_s) / matches


def share_of_ladders(*, ladders_s: float, others_s: float) -> float:
    """Return the seconds that slots have played for ladders per second of play for others."""
    # Adds a while of play for others only, so that the first moments weigh little.
    return ladders_s / (others_s + _ALL_BUSY_WEIGHS_S)


def play_together(
    own: Iterable[Span], other: Iterable[Span], *, since: datetime, idle_s: float
) -> Together:
    """Return how long two lanes have kept slots busy since both began.

    For each match, a slot waits for `idle_s` as well.
    """
    return Together(_kept_s(own, since, idle_s), _kept_s(other, since, idle_s))


def _kept_s(spans: Iterable[Span], since: datetime, idle_s: float) -> float:
    inside = [span for span in spans if span.end > since]
    return sum((span.end - max(span.begin, since)).total_seconds() + idle_s for span in inside)


def _find_pauses(spans: Sequence[Span], *, since: datetime, until: datetime) -> list[Span]:
    """Return the pauses: from the last begin before an unusually long standstill to the next one.

    The last matches before a standstill are part of the pause, because other slots stood still
    already while those were played.
    """
    least_s = max(_PAUSE_S, _PAUSE_SPANS * median(map(_length_s, spans)))
    pauses = []
    begun = ended = since
    for span in [*sorted(spans, key=attrgetter("begin")), Span(begin=until, end=until)]:
        if (span.begin - ended).total_seconds() > least_s:
            pauses.append(Span(begin=begun, end=span.begin))
        begun, ended = span.begin, max(ended, span.end)
    return pauses


def _overlap_s(one: Span, other: Span) -> float:
    shared = min(one.end, other.end) - max(one.begin, other.begin)
    return max(0.0, shared.total_seconds())


def _length_s(span: Span) -> float:
    return (span.end - span.begin).total_seconds()
