"""Every field of a position is checked, and every error names its field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pentathlon_engines.contract.info import Outcome
from pentathlon_engines.contract.position import Fields
from pentathlon_engines.errors import BadPosition

Read = Callable[[Fields], object]


def fields(**data: Any) -> Fields:
    return Fields(data, known=("x",))


READ: dict[str, Read] = {
    "integer": lambda found: found.integer("x", low=0, high=9),
    "text": lambda found: found.text("x"),
    "flag": lambda found: found.flag("x"),
    "mapping": lambda found: found.mapping("x"),
    "sequence": lambda found: found.sequence("x", length=2),
    "items": lambda found: found.items("x", most=2),
}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", 9),
        ("text", ""),
        ("flag", False),
        ("mapping", {}),
        ("sequence", [1, 2]),
        ("items", [1]),
    ],
)
def test_value_of_the_right_kind_is_returned(kind: str, value: object) -> None:
    assert READ[kind](fields(x=value)) == value


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        ("integer", 10, "from 0 to 9, not 10"),
        ("integer", -1, "from 0 to 9, not -1"),
        ("integer", True, "not True"),
        ("integer", 1.0, "not 1.0"),
        ("text", 7, "must be a string, not 7"),
        ("flag", 1, "must be true or false, not 1"),
        ("mapping", [], r"must be an object, not \[\]"),
        ("sequence", [1], r"must be a list of 2, not \[1\]"),
        ("sequence", "ab", "must be a list of 2"),
        ("items", [1, 2, 3], "must be a list of at most 2 items"),
        ("items", {}, "must be a list of at most 2 items"),
    ],
)
def test_value_of_another_kind_is_refused_with_its_field(
    kind: str, value: object, problem: str
) -> None:
    with pytest.raises(BadPosition, match=f"^x: .*{problem}"):
        READ[kind](fields(x=value))


@pytest.mark.parametrize("kind", [kind for kind in READ if kind != "items"])
@pytest.mark.parametrize("data", [{}, {"x": None}], ids=["absent", "null"])
def test_field_without_a_default_must_be_there(kind: str, data: dict[str, None]) -> None:
    with pytest.raises(BadPosition, match="x: is missing"):
        READ[kind](fields(**data))


def test_field_with_a_default_may_be_left_out() -> None:
    assert fields().integer("x", low=0, default=3) == 3
    assert fields().text("x", default="a") == "a"
    assert fields().mapping("x", default={"a": 1}) == {"a": 1}
    assert fields().items("x", most=2) == []
    assert not fields(x=None).has("x")


def test_field_that_no_position_has_is_refused() -> None:
    with pytest.raises(BadPosition, match=r"y: no such field; a position has game, .*, x"):
        fields(y=1)


@pytest.mark.parametrize(
    ("data", "chance", "seat"),
    [({"to_move": 1}, False, 1), ({"to_move": None}, False, None), ({"to_move": -1}, True, -1)],
)
def test_seat_to_move_is_a_seat_chance_or_nobody(
    data: dict[str, Any], chance: bool, seat: int | None
) -> None:
    assert fields(**data).seat_to_move(2, chance=chance) == seat


@pytest.mark.parametrize(
    ("data", "problem"),
    [({}, "is missing; write a seat"), ({"to_move": 2}, "0 to 1"), ({"to_move": -1}, "0 to 1")],
)
def test_seat_to_move_must_be_said(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadPosition, match=f"to_move: .*{problem}"):
        fields(**data).seat_to_move(2)


def test_result_is_an_outcome_or_none_yet() -> None:
    result = {"ranks": [1, 0], "reason": "line"}

    assert fields(result=result).result(2) == Outcome((1, 0), "line", None)
    assert fields(result={**result, "scores": [3, 4]}).result(2, scores=True) == Outcome(
        (1, 0), "line", (3, 4)
    )
    assert fields(result=None).result(2) is None
    assert fields().result(2) is None


@pytest.mark.parametrize(
    ("result", "problem"),
    [
        ([], "result: must be null or an object with ranks, reason"),
        ({"ranks": [0, 1]}, "result: must be null or an object"),
        ({"ranks": [0, 1], "reason": 7}, "result.reason: must be a string"),
        ({"ranks": [0], "reason": ""}, "result.ranks: must be a list of 2 whole numbers"),
        ({"ranks": [0, "1"], "reason": ""}, "result.ranks: must be a whole number"),
        ({"ranks": [0, 2], "reason": ""}, "result.ranks: a rank is the number of seats"),
        ({"ranks": [1, 1], "reason": ""}, "result.ranks: a rank is the number of seats"),
    ],
)
def test_result_that_cannot_be_is_refused(result: object, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        fields(result=result).result(2)


def test_other_phase_is_refused() -> None:
    fields(phase="main").check_phase("main")
    fields().check_phase("main")

    with pytest.raises(BadPosition, match="phase: must be 'main' here, not 'end'"):
        fields(phase="end").check_phase("main")
