"""Every field of a position is checked, and every error names its field."""

from types import SimpleNamespace
from typing import Any

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.contract import position
from pentathlon_engines.contract.info import Outcome
from pentathlon_engines.contract.kinds import (
    Flag,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Object,
    OneOf,
    Optional,
    PartialObject,
    Result,
    SetOf,
    Text,
)
from pentathlon_engines.contract.position import (
    ABSENT,
    TO_SEATS,
    TO_VIEWERS,
    Field,
    Fields,
    agrees,
)
from pentathlon_engines.errors import BadPosition

SMALL = Integer(0, 9)
SORT = OneOf(("s", "e"))
RESULT = Result(2)
SCORED = Result(2, scores=True)
LINE = {"ranks": [1, 0], "reason": "line"}


@pytest.mark.parametrize(
    ("kind", "data", "value"),
    [
        (SMALL, 9, 9),
        (Flag(), False, False),
        (Text(), "", ""),
        (Text("ab", most=2), "ba", "ba"),
        (SORT, "e", 1),
        (Optional(SORT), None, -1),
        (ListOf(SORT, 2), ["e", "s"], [1, 0]),
        (ListOf(SMALL, most=2), [], []),
        (SetOf(("a", "b", "c")), ["c", "a"], 0b101),
        (MapOf(("a", "b"), SMALL, what="a space"), {"b": 3}, {1: 3}),
        (Object(x=SMALL, y=Flag()), {"y": True, "x": 1}, {"x": 1, "y": True}),
        (PartialObject(x=SMALL, y=Flag()), {"x": 1}, {"x": 1, "y": None}),
        (RESULT, LINE, Outcome((1, 0), "line")),
        (SCORED, LINE | {"scores": [3, 4]}, Outcome((1, 0), "line", (3, 4))),
    ],
)
def test_value_of_the_right_kind_is_returned(kind: Kind, data: object, value: object) -> None:
    assert kind.read("x", data) == value


@pytest.mark.parametrize(
    ("kind", "data", "problem"),
    [
        (SMALL, 10, "x: must be a whole number from 0 to 9, not 10"),
        (SMALL, -1, "x: must be a whole number from 0 to 9, not -1"),
        (SMALL, True, "x: .*, not True"),
        (SMALL, 1.0, "x: .*, not 1.0"),
        (Integer(1), 0, "x: must be a whole number 1 or more, not 0"),
        (Flag(), 1, "x: must be true or false, not 1"),
        (Text(), 7, "x: must be a string, not 7"),
        (Text("ab"), "abc", "x: must be a string of the letters ab, not 'abc'"),
        (Text(most=2), "abc", "x: must have at most 2 letters"),
        (SORT, "x", "x: must be one of s, e, not 'x'"),
        (SORT, ["s"], "x: must be one of"),
        (ListOf(SMALL, 2), [1], r"x: must be a list of 2, not \[1\]"),
        (ListOf(SMALL, 2), "ab", "x: must be a list of 2"),
        (ListOf(SMALL, most=2), [1, 2, 3], "x: must be a list of at most 2"),
        (ListOf(SMALL, 2), [1, 10], r"x\[1\]: must be a whole number"),
        (MapOf("ab", SMALL, what="a space"), {"c": 1}, "x: 'c' is not a space"),
        (MapOf("ab", SMALL, what="a space"), {"a": 10}, "x.a: must be a whole number"),
        (MapOf("ab", SMALL, what="a space"), [], "x: must be an object"),
        (Object(x=SMALL), {}, "x: must be an object with x, not {}"),
        (Object(x=SMALL), {"x": 10}, "x.x: must be a whole number"),
        (PartialObject(x=SMALL), {"y": 1}, "x: must be an object with x"),
        (RESULT, [], "x: must be an object with ranks, reason"),
        (RESULT, {"ranks": [0, 1]}, "x: must be an object"),
        (RESULT, LINE | {"reason": 7}, "x.reason: must be a string"),
        (RESULT, LINE | {"ranks": [0]}, "x.ranks: must be a list of 2"),
        (RESULT, LINE | {"ranks": [0, 2]}, "x.ranks: a rank is the number of seats"),
        (RESULT, LINE | {"ranks": [1, 1]}, "x.ranks: a rank is the number of seats"),
    ],
)
def test_value_of_another_kind_is_refused_with_its_field(
    kind: Kind, data: object, problem: str
) -> None:
    with pytest.raises(BadPosition, match=f"^{problem}"):
        kind.read("x", data)


TABLE = Fields(
    Field("sort", Optional(SORT)),
    Field("count", SMALL, is_required=True),
    Field("double", Integer(0), lambda state: 2 * state.count),
    Field(
        "rare", get=lambda state: state.count if state.count > 5 else ABSENT, may_be_absent=True
    ),
    Field("hand", Text(), lambda state, seat: state.hands[seat], TO_SEATS, is_seen=True),
    Field("size", None, lambda state: len(state.hands), TO_VIEWERS),
)


def state(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**{"sort": -1, "count": 2, "hands": ["ab", "c"]} | fields)


@pytest.mark.parametrize(
    ("viewer", "more"), [(position.WHOLE, {}), (None, {"size": 2}), (1, {"hand": "c", "size": 2})]
)
def test_a_viewer_sees_its_fields_in_their_order(viewer: int | None, more: dict[str, Any]) -> None:
    written = TABLE.write(state(), viewer)

    assert list(written.items()) == list(({"sort": None, "count": 2, "double": 4} | more).items())


def test_a_field_may_be_absent() -> None:
    assert TABLE.write(state(count=6))["rare"] == 6


def test_reading_sets_attributes_and_returns_the_other_values() -> None:
    subject = state()

    values = TABLE.read(subject, {"sort": "e", "count": 3, "double": 7})

    assert (subject.sort, subject.count) == (1, 3)
    assert values == {"double": 7, "rare": None, "hand": None, "size": None}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"count": 1, "y": 1}, "y: no such field; there are sort, count"),
        ({}, "count: is missing"),
        ({"count": None}, "count: is missing"),
        ({"count": 10}, "count: must be"),
    ],
)
def test_a_table_refuses_what_it_cannot_read(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadPosition, match=f"^{problem}"):
        TABLE.read(state(), data)


def test_the_fields_of_a_part_are_named_with_it() -> None:
    with pytest.raises(BadPosition, match=r"^inner\.count: is missing"):
        TABLE.read(state(), {}, inside="inner")


@pytest.mark.parametrize(
    ("given", "is_same"),
    [({"a": 1}, True), ({}, True), ({"a": True}, False), ({"c": 1}, False), ({"b": [1]}, False)],
)
def test_given_data_agree_with_the_written_ones_as_far_as_they_go(
    given: dict[str, Any], is_same: bool
) -> None:
    assert agrees(given, {"a": 1, "b": [1, 2]}) == is_same


@pytest.mark.parametrize(
    ("data", "decides", "problem"),
    [
        ({}, "a seat", "to_move: is missing"),
        ({"to_move": 2}, "a seat", "to_move: must be a whole number from -1 to 1"),
        ({"to_move": -1}, "a seat", "to_move: must be a seat in phase 'x', not -1"),
        ({"to_move": 0}, "-1", "to_move: must be -1 in phase 'x', not 0"),
        ({"to_move": 0}, "null", "to_move: must be null in phase 'x', not 0"),
    ],
)
def test_who_decides_must_fit_the_phase(data: dict[str, Any], decides: str, problem: str) -> None:
    with pytest.raises(BadPosition, match=problem):
        position.read_mover(GAMES["tuned"].start(), data, phase="x", decides=decides)
