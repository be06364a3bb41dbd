"""The time that a tournament is said to take, beside others that want the same slots."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

import pytest

from pentathlon.tournaments.progress import RivalTournament, remaining_s, share_of_slots

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class Lane(NamedTuple):
    """A tournament of the simulation; the first is the one whose end is asked for."""

    matches: int
    mean_s: float
    starts_at: float = 0.0


class Scene(NamedTuple):
    """Tournaments on some slots."""

    name: str
    lanes: Sequence[Lane]
    slots: int = 4


SCENES = [
    Scene("alone", [Lane(400, 2.0)]),
    Scene("short one beside a long one", [Lane(400, 0.5), Lane(2_000, 5.0)]),
    Scene("long one beside short ones", [Lane(400, 5.0), Lane(400, 0.5), Lane(300, 1.0)]),
    Scene("another that ends halfway", [Lane(600, 1.0), Lane(300, 1.0)]),
    Scene("another that begins after a while", [Lane(600, 1.0), Lane(2_000, 1.0, starts_at=8.0)]),
    Scene("four others", [Lane(300, 1.0), *[Lane(200, 2.0)] * 4], slots=2),
]


@pytest.mark.parametrize("done", [0.1, 1 / 3, 2 / 3])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_estimate_is_right_within_a_quarter(scene: Scene, done: float) -> None:
    played = _play(scene)
    mine = played[0]
    count = int(scene.lanes[0].matches * done)
    now = mine[count - 1]
    latest = [BEGIN + timedelta(seconds=end) for end in mine[max(0, count - 200) : count]][::-1]
    rivals = [
        RivalTournament(
            started_at=BEGIN + timedelta(seconds=lane.starts_at),
            finished_at=BEGIN + timedelta(seconds=ends[-1]) if ends[-1] <= now else None,
            work_s=sum(end > now for end in ends) * lane.mean_s,
        )
        for lane, ends in zip(scene.lanes[1:], played[1:], strict=True)
        if lane.starts_at <= now and ends[-1] > mine[max(0, count - 200)]
    ]

    left = scene.lanes[0].matches - count
    pace = remaining_s(latest, left=left)
    share = share_of_slots(
        left * scene.lanes[0].mean_s, rivals=rivals, since=latest[-1], until=latest[0]
    )

    truth = mine[-1] - now
    assert pace is not None
    assert abs(pace * share - truth) <= 0.25 * truth, (pace, share, truth)


def _play(scene: Scene) -> list[list[float]]:
    """Return when the matches of each lane end; lanes have equal time in flight."""
    random = Random(7)
    free = [0.0] * scene.slots
    waiting = [lane.matches for lane in scene.lanes]
    used = [0.0] * len(scene.lanes)
    ends: list[list[float]] = [[] for _ in scene.lanes]
    while any(waiting):
        now = heapq.heappop(free)
        ready = [
            index
            for index, lane in enumerate(scene.lanes)
            if waiting[index] and lane.starts_at <= now
        ]
        if not ready:
            heapq.heappush(free, now + 0.1)
            continue
        index = min(ready, key=lambda each: used[each])
        # Who comes later has no claim to what others have had before.
        used[index] = max(
            used[index],
            min(used[each] for each in ready if used[each])
            if any(used[each] for each in ready)
            else 0.0,
        )
        length_s = scene.lanes[index].mean_s * random.uniform(0.5, 1.5)
        used[index] += length_s
        waiting[index] -= 1
        ends[index].append(now + length_s)
        heapq.heappush(free, now + length_s)
    return [sorted(each) for each in ends]
