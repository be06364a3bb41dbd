import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import OperationalError
from redis import RedisError
from structlog.testing import capture_logs

from workers import reconciler
from workers.reconciler import Reconciler, Step

pytestmark = pytest.mark.django_db


def _failing_with(*errors: Exception) -> Step:
    """Return a step that fails with each of these errors in turn, then works."""
    left = list(errors)

    def step() -> None:
        if left:
            raise left.pop(0)

    return step


def _noting(done: list[str], name: str) -> Callable[[], None]:
    return lambda: done.append(name)


def test_steps_are_done_in_order() -> None:
    done: list[str] = []
    loop = Reconciler({name: _noting(done, name) for name in ("leases", "hints", "ratings")})

    assert loop.tick()

    assert done == ["leases", "hints", "ratings"]


def test_one_of_many_copies_works() -> None:
    done: list[str] = []
    copies = [Reconciler({"step": _noting(done, name)}) for name in "ab"]

    for copy in (*copies, *copies):
        assert copy.tick()

    assert done == ["a", "a"]


def test_leader_renews_its_lease_only_when_a_third_is_over(
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    loop = Reconciler({}, ttl_s=600)
    loop.tick()

    with django_assert_num_queries(0):
        loop.tick()


def test_broken_step_stops_no_other_and_is_told_once() -> None:
    done: list[str] = []
    errors = [ValueError("bad pool"), ValueError("bad pool")]
    steps = {"ratings": _failing_with(*errors), "close": _noting(done, "close")}
    loop = Reconciler(steps, pause_s=0)

    with capture_logs() as logs:
        is_well = [loop.tick() for _ in range(4)]

    assert is_well == [True] * 4, "what is broken does not slow down the rest"
    assert done == ["close"] * 4
    told = [line["event"] for line in logs if line.get("step") == "ratings"]
    assert told == ["does not work, trying again", "works again"]


def test_outage_is_told_without_a_trace() -> None:
    loop = Reconciler({"ratings": _failing_with(OperationalError("gone\nHINT: wait"))})

    with capture_logs() as logs:
        loop.tick()

    (line,) = [line for line in logs if line["log_level"] == "error"]
    assert (line["reason"], line["exc_info"]) == ("gone", False)


def test_next_copy_takes_over_at_once_after_an_orderly_stop() -> None:
    stop = threading.Event()
    first, done = Reconciler({"stop": stop.set}, pause_s=0.001), ["first"]

    first.run(stop)
    Reconciler({"step": _noting(done, "second")}).tick()

    assert done == ["first", "second"]


class Clock:
    """An event that is never set; it notes how long somebody waits for it, some times."""

    def __init__(self, most: int = 3) -> None:
        self.pauses: list[float] = []
        self._most = most

    def wait(self, timeout: float) -> bool:
        self.pauses.append(timeout)
        return len(self.pauses) > self._most


def test_pause_is_longer_after_a_round_that_found_nothing() -> None:
    found = [1, 0, 1]
    clock = Clock()
    steps: dict[str, Step] = {"search": lambda: found.pop(0), "other": lambda: None}

    Reconciler(steps, pause_s=0.5, idle_s=5.0).run(clock)  # type: ignore[arg-type]  # waits alike

    assert clock.pauses == [0.5, 0.5, 5.0, 0.5]


def test_pause_doubles_during_an_outage_and_is_short_again_after_it() -> None:
    clock = Clock(7)
    outage = _failing_with(*(RedisError("gone") for _ in range(5)))

    Reconciler({"hints": outage}, pause_s=1.0, idle_s=1.0).run(clock)  # type: ignore[arg-type]  # waits alike

    assert clock.pauses == [0.5, 2.0, 4.0, 8.0, 10.0, 10.0, 1.0, 1.0]


def test_copy_that_cannot_ask_for_leadership_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> bool:
        raise OperationalError("gone")

    done: list[str] = []
    monkeypatch.setattr(reconciler, "acquire_leadership", fail)
    monkeypatch.setattr(reconciler, "close_old_connections", lambda: None)

    assert not Reconciler({"step": _noting(done, "step")}).tick()

    assert done == []


def test_end_of_a_copy_without_a_database_is_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr(reconciler, "give_up_leadership", fail)

    Reconciler({}).run(Clock(0))  # type: ignore[arg-type]  # waits alike


def test_broken_step_is_left_alone_for_a_while() -> None:
    tries: list[int] = []

    def fail() -> None:
        tries.append(1)
        raise ValueError("bad pool")

    loop = Reconciler({"ratings": fail}, pause_s=600.0)

    assert [loop.tick() for _ in range(3)] == [True] * 3

    assert len(tries) == 1


def test_copy_that_has_lost_its_lead_leaves_the_rest_of_its_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    answers = [True, False]
    monkeypatch.setattr(reconciler, "acquire_leadership", lambda **_: answers.pop(0))
    steps = {name: _noting(done, name) for name in ("first", "second")}
    loop = Reconciler(steps, ttl_s=-3.0)  # over at once

    assert loop.tick()

    assert done == []
    assert answers == []
