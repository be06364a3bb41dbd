"""One thing that fails holds back no other, waits alone, and is logged when it begins and ends."""

from collections.abc import Callable

import pytest
from django.db import InternalError, OperationalError, ProgrammingError
from structlog.testing import capture_logs

from pentathlon.core import bulkheads
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.outages import is_outage


class Clock:
    """A monotonic clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(bulkheads, "time", clock)
    return clock


def _failing_for(*broken: int) -> Callable[[int], int]:
    def do(key: int) -> int:
        if key in broken:
            raise ValueError(f"{key} is broken")
        return 10 * key

    return do


def test_failure_holds_back_no_other(clock: Clock) -> None:
    steps = Bulkheads[int]("thing")

    assert list(steps.each([1, 2, 3], _failing_for(2))) == [10, 30]


def test_failing_one_waits_longer_each_time_up_to_a_minute(clock: Clock) -> None:
    steps = Bulkheads[int]("thing", first_s=1.0)
    tries: list[float] = []

    def fail(key: int) -> None:
        tries.append(clock.now)
        raise ValueError(key)

    while clock.now < 200:
        list(steps.each([1], fail))
        clock.now += 0.5

    assert tries == [0, 1, 3, 7, 15, 31, 63, 123, 183]


def test_failure_is_logged_once_and_its_end_too(clock: Clock) -> None:
    steps = Bulkheads[int]("thing", first_s=1.0)

    with capture_logs() as logs:
        for broken in (7, 7, 0, 0):
            list(steps.each([7], _failing_for(broken)))
            clock.now += 5

    assert [(line["event"], line["key"]) for line in logs] == [
        ("does not work, trying again", 7),
        ("works again", 7),
    ]


def test_outage_ends_the_step_and_counts_as_no_failure(clock: Clock) -> None:
    steps = Bulkheads[int]("thing")

    def away(key: int) -> None:
        raise OperationalError("gone")

    with pytest.raises(OperationalError):
        list(steps.each([1, 2], away))

    assert list(steps.each([1, 2], _failing_for())) == [10, 20]


def test_run_answers_none_for_what_fails_or_waits(clock: Clock) -> None:
    steps = Bulkheads[int]("thing")
    do = _failing_for(1)

    assert steps.run(1, lambda: do(1)) is None
    assert steps.run(1, lambda: 5) is None, "it waits"
    clock.now += 1
    assert steps.run(1, lambda: 5) == 5


class Cause(Exception):
    """What a driver raises, with the code of the SQL standard."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__(sqlstate)
        self.sqlstate = sqlstate


def _wrong_query(sqlstate: str) -> ProgrammingError:
    error = ProgrammingError("wrong")
    error.__cause__ = Cause(sqlstate)
    return error


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (OperationalError("gone"), True),
        (InternalError("cannot execute UPDATE in a read-only transaction"), True),
        (_wrong_query("42P01"), True),  # no such table
        (_wrong_query("42601"), False),  # a syntax error
        (ValueError("bad"), False),
        (None, False),
    ],
    ids=repr,
)
def test_read_only_and_half_restored_databases_are_outages(
    error: Exception | None, is_one: bool
) -> None:
    assert is_outage(error) is is_one
