"""The time that a tournament is said to take, beside others that want the same slots."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from statistics import median
from typing import NamedTuple

import pytest

from pentathlon.tournaments.estimates.time_left import (
    OtherLane,
    Span,
    Together,
    WorkLeft,
    expected_match_s,
    idle_per_match_s,
    play_together,
    share_of_ladders,
    time_left_s,
)

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
LADDER = 10**6
"""The number of matches that stands for a lane that never ends."""


class Lane(NamedTuple):
    """Who plays in the simulation; the first is the tournament whose end is asked for."""

    matches: int
    mean_s: float
    starts_at: float = 0.0
    most_in_flight: int = 12
    burst: int = 1
    """The lane sends nothing until it can send this many matches together."""


class Scene(NamedTuple):
    """Lanes on some slots."""

    name: str
    lanes: Sequence[Lane]
    slots: int = 4
    idle_s: float = 0.0
    """How long a slot waits for the next hint."""


class Played(NamedTuple):
    """A match of the simulation."""

    lane: int
    sent_at: float
    begin: float
    end: float


SCENES = [
    Scene("alone", [Lane(400, 2.0)]),
    Scene("short one beside a long one", [Lane(400, 0.5, 0, 48), Lane(2_000, 5.0, 0, 6)]),
    Scene("long one beside short ones", [Lane(400, 5.0, 0, 6), Lane(400, 0.5), Lane(300, 1.0)]),
    Scene("another that ends halfway", [Lane(600, 1.0), Lane(300, 1.0)]),
    Scene("another that begins after a while", [Lane(600, 1.0), Lane(2_000, 1.0, starts_at=8.0)]),
    Scene("four others", [Lane(300, 1.0), *[Lane(200, 2.0)] * 4], slots=2),
    Scene("short ones beside long ones in bursts", [Lane(600, 0.4), Lane(300, 3.0, 0, 12, 12)]),
    Scene("short ones in bursts beside long ones", [Lane(600, 0.4, 0, 12, 12), Lane(300, 3.0)]),
    Scene("long ones in bursts beside short ones", [Lane(200, 3.0, 0, 8, 8), Lane(2_000, 0.4)]),
    Scene("long ones beside short ones in bursts", [Lane(200, 3.0), Lane(900, 0.4, 0, 24, 24)]),
    Scene(
        "bursts of unlike lengths on two slots",
        [Lane(300, 0.2, 0, 20, 10), Lane(192, 0.6, 0, 16, 16), Lane(90, 2.0, 3.0, 6, 3)],
        slots=2,
        idle_s=0.1,
    ),
    Scene("36 matches", [Lane(36, 3.0)], slots=2),
    Scene("36 matches on one slot", [Lane(36, 3.0)], slots=1),
    Scene("36 that begin late", [Lane(36, 2.0, starts_at=40.0), Lane(900, 1.0)], slots=2),
    Scene(
        "80 short ones that a bot's cap holds back, beside long ones of a ladder",
        [Lane(80, 0.3, 60.0, 8), Lane(LADDER, 3.0, 0, 2)],
        slots=1,
    ),
    Scene(
        "the same, with longer bursts",
        [Lane(80, 0.3, 60.0, 16), Lane(LADDER, 3.0, 0, 4)],
        slots=1,
    ),
    Scene(
        "short ones behind long ones, on a host that is slow to begin them",
        [Lane(80, 0.4, 0, 20), Lane(2, 120.0), Lane(36, 0.5, 0, 16)],
        slots=1,
        idle_s=0.5,
    ),
    Scene("many slots", [Lane(200, 10.0, 0, 32)], slots=16),
]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_estimate_is_right_within_a_quarter(scene: Scene) -> None:
    plays = [_play(scene, Random(seed)) for seed in range(10)]
    for done in (0.1, 1 / 3, 2 / 3):
        errors = [_error(scene, played, done) for played in plays]

        # With few matches, the last ones of a single run may be unlike the others.
        assert abs(median(errors)) <= 0.15, (done, errors)
        assert sum(abs(error) > 0.25 for error in errors) <= len(errors) / 5, (done, errors)


def _error(scene: Scene, played: Sequence[Played], done: float) -> float:
    """Return by which share what is told differs from what the rest takes."""
    ends = sorted(match.end for match in played if match.lane == 0)
    now = ends[int(scene.lanes[0].matches * done) - 1]
    return _estimate(scene, played, now) / (ends[-1] - now) - 1


def _estimate(scene: Scene, played: Sequence[Played], now: float) -> float:
    """Return what is told at a time by what is known then."""
    own = scene.lanes[0]
    ended = [match for match in played if match.end <= now]
    live = [match for match in played if match.begin <= now < match.end]
    sent = [match for match in played if match.sent_at <= now < match.begin]
    mine = [match.end - match.begin for match in ended if match.lane == 0]
    # Earlier matches of the game took as long on average.
    match_s = expected_match_s(mine[-50:], others_s=[own.mean_s])
    assert match_s is not None
    running = sum(match.lane == 0 for match in live)
    waiting = own.matches - len(mine) - running
    latest = [*ended[-200:], *live]
    since = max(own.starts_at, ended[-200:][0].end if len(ended) > 200 else 0.0)
    idle_s = idle_per_match_s(
        [_span_of(match, now) for match in latest],
        since=_at(since),
        until=_at(now),
        slots=scene.slots,
        matches=sum(match.end > since for match in ended) + len(live) / 2,
    )
    begun = [match for match in [*ended, *live] if match.begin >= since]
    played_s = [
        sum(
            min(match.end, now) - match.begin
            for match in begun
            if is_ladder == _is_of_ladder(scene, match)
        )
        for is_ladder in (True, False)
    ]
    work = WorkLeft(
        match_s=match_s,
        idle_s=idle_s,
        waiting=waiting,
        running=running,
        in_flight=running + sum(match.lane == 0 for match in sent),
        rivals=[*_rivals(scene, played, now, since=since, idle_s=idle_s)],
        ladders_s=sum(
            scene.lanes[each.lane].mean_s / 2 for each in live if _is_of_ladder(scene, each)
        ),
        ladders_share=share_of_ladders(ladders_s=played_s[0], others_s=played_s[1]),
    )
    return time_left_s(work, slots=scene.slots)


def _rivals(
    scene: Scene, played: Sequence[Played], now: float, *, since: float, idle_s: float
) -> Iterator[OtherLane]:
    """Yield the other lanes that have begun and have something left to play."""
    ended = [match for match in played if match.end <= now]
    live = [match for match in played if match.begin <= now < match.end]
    sent = [match for match in played if match.sent_at <= now < match.begin]
    in_flight = [*live, *sorted(sent, key=lambda match: match.begin)]
    latest = [*ended[-200:], *live]
    for index, lane in enumerate(scene.lanes[1:], start=1):
        left = lane.matches - sum(match.lane == index for match in ended)
        if lane.matches == LADDER or not left or lane.starts_at > now:
            continue
        match_s = lane.mean_s + idle_s
        known = [[_span_of(each, now) for each in latest if each.lane == of] for of in (0, index)]
        yield OtherLane(
            left_s=left * match_s,
            in_flight_s=match_s * sum(match.lane == index for match in in_flight),
            ahead_s=[
                sum(
                    match_s * (0.5 if other in live else 1)
                    for other in in_flight[:place]
                    if other.lane == index
                )
                for place, match in enumerate(in_flight)
                if match.lane == 0
            ],
            together=play_together(*known, since=_at(max(since, lane.starts_at)), idle_s=idle_s),
        )


def _is_of_ladder(scene: Scene, match: Played) -> bool:
    return scene.lanes[match.lane].matches == LADDER


def _play(scene: Scene, random: Random) -> list[Played]:
    """Return all matches until the first lane is over, in the order of their ends.

    Slots follow hints in the order in which they were sent, those of ladders last, and a lane
    sends another match when one of its own has ended.
    """
    free: list[tuple[float, int, int | None]] = [(0.0, slot, None) for slot in range(scene.slots)]
    unsent = [lane.matches for lane in scene.lanes]
    in_flight = [0] * len(scene.lanes)
    queue: deque[tuple[int, float]] = deque()
    last: deque[tuple[int, float]] = deque()
    played: list[Played] = []
    while unsent[0] or in_flight[0]:
        now, slot, ended = heapq.heappop(free)
        if ended is not None:
            in_flight[ended] -= 1
        for index, lane in enumerate(scene.lanes):
            room = min(unsent[index], lane.most_in_flight - in_flight[index])
            if lane.starts_at <= now and room >= min(lane.burst, unsent[index] or 1):
                unsent[index] -= room
                in_flight[index] += room
                (last if lane.matches == LADDER else queue).extend([(index, now)] * room)
        if not queue and not last:
            heapq.heappush(free, (now + 0.1, slot, None))
            continue
        index, sent_at = (queue or last).popleft()
        length_s = scene.lanes[index].mean_s * random.uniform(0.5, 1.5)
        played.append(Played(index, sent_at, now, now + length_s))
        heapq.heappush(free, (now + length_s + scene.idle_s, slot, index))
    return sorted(played, key=lambda match: match.end)


class TestIdle:
    def test_slots_wait_for_nothing_before_anything_was_played(self) -> None:
        assert idle_per_match_s([], since=BEGIN, until=_at(60), slots=3, matches=0) == 0

    def test_slot_that_nobody_needs_counts(self) -> None:
        spans = [_span(step, step + 1) for step in range(1000)]

        assert _idle(spans, until=1000, slots=2) == pytest.approx(1, abs=0.01)

    def test_pause_does_not_count(self) -> None:
        spans = [_span(step, step + 1) for step in (*range(500), *range(4000, 4500))]

        assert _idle(spans, until=4500) == pytest.approx(0)

    def test_slots_that_wait_for_the_last_match_before_a_pause_do_not_count(self) -> None:
        before = [_span(step, step + 1) for step in (*range(100), *range(100))]
        after = [_span(4000 + step, 4001 + step) for step in (*range(100), *range(100))]

        found = _idle([*before, _span(100, 160), *after], until=4100, slots=2)

        assert found == pytest.approx(0, abs=0.01)

    def test_waiting_between_matches_counts(self) -> None:
        spans = [_span(2 * step, 2 * step + 1) for step in range(500)]

        assert _idle(spans, until=1000) == pytest.approx(1, abs=0.01)


def _idle(spans: Sequence[Span], *, until: float, slots: int = 1) -> float:
    return idle_per_match_s(spans, since=BEGIN, until=_at(until), slots=slots, matches=len(spans))


class TestTogether:
    def test_play_since_both_began_counts_with_the_waits(self) -> None:
        own = [_span(0, 4), _span(8, 12)]
        other = [_span(4, 5), _span(5, 6), _span(12, 12.5)]

        found = play_together(own, other, since=_at(10), idle_s=0.5)

        assert found == Together(own_s=2.5, other_s=1.0)


class TestExpectedMatch:
    def test_others_of_the_game_tell_before_the_first_own_has_ended(self) -> None:
        assert expected_match_s([], others_s=[2.0, 4.0]) == 3

    def test_own_matches_soon_tell_more(self) -> None:
        assert expected_match_s([1.0] * 27, others_s=[11.0]) == 2

    def test_nobody_can_tell_where_nothing_was_played(self) -> None:
        assert expected_match_s([], others_s=[]) is None


class TestLastMatches:
    def test_last_match_takes_its_time_on_however_many_slots(self) -> None:
        assert time_left_s(WorkLeft(match_s=8, waiting=1, running=0), slots=32) == 8

    def test_what_was_sent_after_the_last_match_does_not_delay_it(self) -> None:
        rival = OtherLane(left_s=10**6, in_flight_s=500, ahead_s=[0, 0, 0])
        work = WorkLeft(match_s=2, waiting=3, running=0, in_flight=3, rivals=[rival])

        assert time_left_s(work, slots=1) == 6

    def test_place_in_the_queue_counts_in_the_last_round(self) -> None:
        rival = OtherLane(left_s=10**6, in_flight_s=500, ahead_s=[0, 40, 40])
        works = [
            WorkLeft(match_s=2, waiting=waiting, running=0, in_flight=3, rivals=[rival])
            for waiting in (4, 5)
        ]

        assert [time_left_s(work, slots=1) for work in works] == [508, 550]

    def test_what_both_have_played_tells_more_than_what_is_in_flight_now(self) -> None:
        works = [
            WorkLeft(
                match_s=1,
                waiting=100,
                running=0,
                in_flight=10,
                rivals=[
                    OtherLane(
                        left_s=10**6,
                        in_flight_s=10,
                        ahead_s=[10] * 10,
                        together=Together(own_s=own_s, other_s=3 * own_s),
                    )
                ],
            )
            for own_s in (0, 20, 10**9)
        ]

        assert [round(time_left_s(work, slots=1)) for work in works] == [200, 300, 400]

    def test_nothing_left_takes_no_time(self) -> None:
        assert time_left_s(WorkLeft(match_s=2, waiting=0, running=0), slots=1) == 0


def _span_of(match: Played, now: float) -> Span:
    """Return when a match was played, as far as is known."""
    return _span(match.begin, min(match.end, now))


def _at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def _span(begin: float, end: float) -> Span:
    return Span(begin=_at(begin), end=_at(end))
