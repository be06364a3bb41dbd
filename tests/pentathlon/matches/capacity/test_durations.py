"""How long a match has kept its slot busy, whatever was claimed together with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pentathlon.matches.capacity import Play, durations_s

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def _play(pk: int, *, begin: float = 0, end: float, worker: str = "host/1") -> Play:
    return Play(
        pk=pk,
        kind="ladder",
        lane=1,
        worker=worker,
        started_at=BEGIN + timedelta(seconds=begin),
        finished_at=BEGIN + timedelta(seconds=end),
    )


@pytest.mark.parametrize(
    ("plays", "took_s"),
    [
        pytest.param([_play(1, end=3)], {1: 3}, id="alone"),
        pytest.param(
            [_play(pk, end=8) for pk in range(4)], dict.fromkeys(range(4), 2), id="batch"
        ),
        pytest.param(
            [_play(3, end=10), _play(2, end=4), _play(1, end=4)],
            {3: 6, 2: 2, 1: 2},
            id="one by one",
        ),
        pytest.param(
            [_play(2, end=8, worker="host/2"), _play(1, end=4)], {2: 8, 1: 4}, id="two slots"
        ),
    ],
)
def test_matches_of_a_batch_share_its_time(plays: list[Play], took_s: dict[int, float]) -> None:
    assert durations_s(plays) == took_s
    assert list(durations_s(plays)) == [play.pk for play in plays]
