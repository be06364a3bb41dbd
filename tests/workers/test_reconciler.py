import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.db import OperationalError
from structlog.testing import capture_logs

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
    reconciler = Reconciler({name: _noting(done, name) for name in ("leases", "hints", "ratings")})

    assert reconciler.tick()

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
    reconciler = Reconciler({}, ttl_s=600)
    reconciler.tick()

    with django_assert_num_queries(0):
        reconciler.tick()


def test_broken_step_stops_no_other_and_is_told_once() -> None:
    done: list[str] = []
    errors = [ValueError("bad pool"), ValueError("bad pool")]
    steps = {"ratings": _failing_with(*errors), "close": _noting(done, "close")}
    reconciler = Reconciler(steps, pause_s=0)

    with capture_logs() as logs:
        is_well = [reconciler.tick() for _ in range(4)]

    assert is_well == [True] * 4, "what is broken does not slow down the rest"
    assert done == ["close"] * 4
    told = [line["event"] for line in logs if line.get("step") == "ratings"]
    assert told == ["does not work, trying again", "works again"]


def test_outage_is_told_without_a_trace() -> None:
    reconciler = Reconciler({"ratings": _failing_with(OperationalError("gone\nHINT: wait"))})

    with capture_logs() as logs:
        reconciler.tick()

    (line,) = [line for line in logs if line["log_level"] == "error"]
    assert (line["reason"], line["exc_info"]) == ("gone", False)


def test_next_copy_takes_over_at_once_after_an_orderly_stop() -> None:
    stop = threading.Event()
    first, done = Reconciler({"stop": stop.set}, pause_s=0.001), ["first"]

    first.run(stop)
    Reconciler({"step": _noting(done, "second")}).tick()

    assert done == ["first", "second"]


class Clock:
    """An event that is never set; it notes how long somebody waits for it, three times."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def wait(self, timeout: float) -> bool:
        self.pauses.append(timeout)
        return len(self.pauses) > 3


def test_pause_is_longer_after_a_round_that_found_nothing() -> None:
    found = [1, 0, 1]
    clock = Clock()
    steps: dict[str, Step] = {"search": lambda: found.pop(0), "other": lambda: None}

    Reconciler(steps, pause_s=0.5, idle_s=5.0).run(clock)  # type: ignore[arg-type]  # waits alike

    assert clock.pauses == [0.5, 0.5, 5.0, 0.5]
