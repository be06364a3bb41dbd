"""The time that a tournament is said to take, beside others that want the same slots."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import inf
from random import Random
from statistics import median
from typing import NamedTuple

import pytest

from pentathlon.tournaments.time_left import (
    OtherLane,
    Span,
    WorkLeft,
    count_busy_slots,
    expected_match_s,
    time_left_s,
)

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
LADDER = 10**6
"""Matches of a lane that never ends."""


class Lane(NamedTuple):
    """Who plays in the simulation; the first is the tournament whose end is asked for."""

    matches: int
    mean_s: float
    starts_at: float = 0.0
    most_in_flight: int = 12


class Scene(NamedTuple):
    """Lanes on some slots."""

    name: str
    lanes: Sequence[Lane]
    slots: int = 4


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
    Scene("36 matches", [Lane(36, 3.0)], slots=2),
    Scene("36 matches on one slot", [Lane(36, 3.0)], slots=1),
    Scene("36 that begin late", [Lane(36, 2.0, starts_at=40.0), Lane(900, 1.0)], slots=2),
    Scene(
        "80 short ones that a bot's cap holds back, beside long ones of a ladder",
        [Lane(80, 0.3, 60.0, 8), Lane(LADDER, 3.0, 0, 2)],
        slots=1,
    ),
    Scene("many slots", [Lane(200, 10.0, 0, 32)], slots=16),
]


@pytest.mark.parametrize("done", [0.1, 1 / 3, 2 / 3])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_estimate_is_right_within_a_quarter(scene: Scene, done: float) -> None:
    errors = [_error(scene, done, seed=seed) for seed in range(5)]

    # Of few matches, a single run may end in some that are unlike the others.
    assert abs(median(errors)) <= 0.25, errors


def _error(scene: Scene, done: float, *, seed: int) -> float:
    """Return by which share what is told differs from what the rest takes."""
    played = _play(scene, Random(seed))
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
    # Others of the game that ended before were as long on average.
    match_s = expected_match_s(mine[-50:], others_s=[own.mean_s])
    assert match_s is not None
    running = sum(match.lane == 0 for match in live)
    last_sent = max((match.sent_at for match in sent if match.lane == 0), default=0.0)
    waiting = own.matches - len(mine) - running
    is_sent = waiting == sum(match.lane == 0 for match in sent)
    ahead = [match for match in sent if not is_sent or match.sent_at <= last_sent]
    rivals = []
    for index, lane in enumerate(scene.lanes[1:], start=1):
        left = lane.matches - sum(match.lane == index for match in ended)
        told = sum(match.lane == index for match in [*live, *sent])
        if left and lane.starts_at <= now:
            left_s = inf if lane.matches == LADDER else left * lane.mean_s
            rivals.append(OtherLane(left_s=left_s, in_flight_s=told * lane.mean_s))
    slots = count_busy_slots(
        [_span(match.begin, min(match.end, now)) for match in [*ended[-200:], *live]],
        since=_at(max(own.starts_at, ended[-200:][0].end if len(ended) > 200 else 0.0)),
        until=_at(now),
        free=scene.slots,
    )
    work = WorkLeft(
        match_s=match_s,
        waiting=waiting,
        running=running,
        in_flight=running + sum(match.lane == 0 for match in sent),
        rivals=rivals,
        ahead_s=sum(scene.lanes[match.lane].mean_s for match in ahead)
        + sum(scene.lanes[match.lane].mean_s / 2 for match in live),
        is_sent=is_sent,
    )
    return time_left_s(work, slots=slots)


def _play(scene: Scene, random: Random) -> list[Played]:
    """Return all matches until the first lane is over, in the order of their ends.

    Slots follow hints in the order in which they were sent, and a lane sends another match when
    one of its own has ended.
    """
    free: list[tuple[float, int, int | None]] = [(0.0, slot, None) for slot in range(scene.slots)]
    unsent = [lane.matches for lane in scene.lanes]
    in_flight = [0] * len(scene.lanes)
    queue: deque[tuple[int, float]] = deque()
    played: list[Played] = []
    while unsent[0] or in_flight[0]:
        now, slot, ended = heapq.heappop(free)
        if ended is not None:
            in_flight[ended] -= 1
        for index, lane in enumerate(scene.lanes):
            room = min(unsent[index], lane.most_in_flight - in_flight[index])
            if lane.starts_at <= now and room > 0:
                unsent[index] -= room
                in_flight[index] += room
                queue.extend([(index, now)] * room)
        if not queue:
            heapq.heappush(free, (now + 0.1, slot, None))
            continue
        index, sent_at = queue.popleft()
        length_s = scene.lanes[index].mean_s * random.uniform(0.5, 1.5)
        played.append(Played(index, sent_at, now, now + length_s))
        heapq.heappush(free, (now + length_s, slot, index))
    return sorted(played, key=lambda match: match.end)


def test_what_held_slots_give_away_waits_for_its_turn_again() -> None:
    ladder = OtherLane(left_s=inf, in_flight_s=60)
    work = WorkLeft(match_s=1, waiting=3, running=0, in_flight=3, rivals=[ladder])
    work = replace(work, ahead_s=3, is_sent=True)

    assert time_left_s(work, slots=1) == 3
    # It waits for a third of what is in flight, then for half of it, then for all of it.
    in_any_order = replace(work, keeps_order=False)
    assert time_left_s(in_any_order, slots=1) == pytest.approx(3 + 60 * (1 / 3 + 1 / 2 + 1))


class TestBusySlots:
    def test_free_slots_count_before_anything_was_played(self) -> None:
        assert count_busy_slots([], since=BEGIN, until=_at(60), free=3) == 3

    def test_slots_that_others_keep_busy_count(self) -> None:
        spans = [_span(step, step + 1) for step in range(1000)]

        assert count_busy_slots(spans, since=BEGIN, until=_at(1000), free=2) == pytest.approx(
            1, abs=0.01
        )

    def test_pause_does_not_count(self) -> None:
        spans = [_span(step, step + 1) for step in (*range(500), *range(4000, 4500))]

        assert count_busy_slots(spans, since=BEGIN, until=_at(4500), free=1) == pytest.approx(1)

    def test_waiting_between_matches_counts(self) -> None:
        spans = [_span(2 * step, 2 * step + 1) for step in range(500)]

        assert count_busy_slots(spans, since=BEGIN, until=_at(1000), free=1) == pytest.approx(
            0.5, abs=0.01
        )


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
        rival = OtherLane(left_s=inf, in_flight_s=500)
        work = WorkLeft(
            match_s=2,
            waiting=3,
            running=0,
            in_flight=3,
            rivals=[rival],
            ahead_s=6,
            is_sent=True,
        )

        assert time_left_s(work, slots=1) == 6

    def test_nothing_left_takes_no_time(self) -> None:
        assert time_left_s(WorkLeft(match_s=2, waiting=0, running=0), slots=1) == 0


def _at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def _span(begin: float, end: float) -> Span:
    return Span(begin=_at(begin), end=_at(end))
