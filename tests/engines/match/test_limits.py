"""Limits travel as JSON and refuse what cannot be a bound."""

from typing import Any

import pytest

from pentathlon_engines.match.limits import Limits


def test_limits_survive_json() -> None:
    limits = Limits(action_cpu_s=0.25, memory_mb=64)

    assert Limits.from_json(limits.to_json()) == limits


def test_whole_seconds_are_written_as_whole_numbers() -> None:
    written = Limits(action_cpu_s=2.0, action_wall_s=2.5).to_json()

    assert (str(written["action_cpu_s"]), str(written["action_wall_s"])) == ("2", "2.5")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"luck": 1}, "unknown limits: luck; known: startup_wall_s"),
        ({"memory_mb": 1.5}, "memory_mb must be a whole number from 0 to 2147483647, not 1.5"),
        ({"memory_mb": True}, "memory_mb must be a whole number"),
        ({"action_cpu_s": "1"}, "action_cpu_s must be a number from 0 to 2147483647, not '1'"),
        ({"action_cpu_s": -1}, "action_cpu_s must be a number"),
        ({"action_cpu_s": float("nan")}, "action_cpu_s must be a number"),
        ({"action_cpu_s": float("inf")}, "action_cpu_s must be a number"),
        ({"action_cpu_s": 2.0**31}, "action_cpu_s must be a number"),
        ({"memory_mb": 10**30}, "memory_mb must be a whole number"),
    ],
)
def test_limits_that_bound_nothing_are_refused(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Limits.from_json(data)
