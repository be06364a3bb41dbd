"""Requests are counted together, in one step, and by each process alone while Redis is away."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.conf import settings as real
from pytest_django import Settings

from pentathlon.core import throttle
from pentathlon.core.throttle import LocalCounts, SharedCounts, count, home_of
from tests.patience import PATIENCE_S


@pytest.fixture(autouse=True)
def _busy_redis_is_not_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "_ANSWER_S", PATIENCE_S)


def shared() -> SharedCounts:
    return SharedCounts(str(real.REDIS_URL))


@pytest.mark.parametrize("make", [LocalCounts, shared])
def test_parallel_requests_are_counted_one_by_one(
    make: type[LocalCounts], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    counts, who = make(), uuid4()
    monkeypatch.setattr(throttle, "_counts", lambda url: counts)
    settings.RATES = {"sign_ins": "20/min"}

    with ThreadPoolExecutor(30) as pool:
        waits = list(pool.map(lambda _: count("sign_ins", who), range(120)))

    assert sum(wait == 0 for wait in waits) == 20
    assert all(0 < wait <= 60 for wait in waits if wait)


def test_processes_count_together() -> None:
    key = f"pentathlon:rate:test:{uuid4()}"

    assert [shared().take(key, 60)[0] for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize("make", [LocalCounts, shared])
def test_window_ends(make: type[LocalCounts]) -> None:
    counts, key = make(), f"pentathlon:rate:test:{uuid4()}"
    _, left_s = counts.take(key, 1)

    assert 0 < left_s <= 1
    threading.Event().wait(left_s + 0.05)
    assert counts.take(key, 1)[0] == 1


def test_without_redis_a_process_counts_for_itself() -> None:
    counts = SharedCounts("unix:///nowhere.sock")

    assert [counts.take("a", 60)[0] for _ in range(3)] == [1, 2, 3]


def test_many_strangers_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "_MOST_KEYS", 10)
    counts = LocalCounts()

    for number in range(100):
        counts.take(str(number), 60)

    assert len(counts._windows) <= 10


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("unix", "unix", True),
    ],
)
def test_neighbours_of_one_network_count_together(one: str, other: str, same: bool) -> None:
    assert (home_of(one) == home_of(other)) is same
