"""Positions of Tuned as JSON: what is refused, and that nothing else is ever raised."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import GAMES, BadAction, BadPosition
from pentathlon_engines.tuned.game import first_position

TUNED = GAMES["tuned"]
OPEN: dict[str, Any] = {
    "board": {"a1": "D", "c3": "DGC", "b2": "G"},
    "hands": ["DGC", "DGCC"],
    "rooster": ["add", "move"],
    "to_move": 0,
    "last": "move a1 c3 2",
}
PLACED: dict[str, Any] = {
    "board": {"a1": "D", "b1": "DGC", "c1": "DGC", "a2": "C", "c2": "G", "a3": "DG", "c3": "C"},
    "hands": ["", ""],
    "rooster": [None, None],
    "to_move": 0,
}
LINE: dict[str, Any] = {
    "board": {"a1": "D", "b1": "D", "c1": "D"},
    "hands": ["DGGCC", "GGCC"],
    "rooster": ["add", "add"],
    "to_move": None,
    "result": {"ranks": [0, 1], "reason": "line"},
}
KEY = "70831175"


@pytest.mark.parametrize("data", [OPEN, PLACED, LINE])
def test_a_position_with_few_fields_loads(data: dict[str, Any]) -> None:
    loaded = TUNED.load(data).to_json()

    assert {name: loaded[name] for name in data} == data


def test_an_observation_loads_too() -> None:
    observation = TUNED.load(OPEN).observation(0)

    assert TUNED.load(observation).observation(0) == observation


@pytest.mark.parametrize(
    ("base", "change", "named"),
    [
        (OPEN, {"board": {"a4": "D"}}, "board: 'a4'"),
        (OPEN, {"board": {"a1": "DC"}}, "board.a1"),
        (OPEN, {"board": {"a1": "GD"}}, "board.a1"),
        (OPEN, {"board": {"a1": ["D"]}}, "board.a1"),
        (OPEN, {"board": {}}, "need 4 donkeys"),
        (OPEN, {"board": None}, "board: is missing"),
        (OPEN, {"board": []}, "board: must be an object"),
        (OPEN, {"hands": ["DGC"]}, "hands: must be a list of 2"),
        (OPEN, {"hands": ["CGD", "DGCC"]}, "hands:"),
        (OPEN, {"hands": ["DGX", "DGCC"]}, "hands[0]: must be a string"),
        (OPEN, {"hands": ["DDDGC", "GCC"]}, "board and hands:"),
        (OPEN, {"hands": [3, "DGCC"]}, "hands[0]"),
        (OPEN, {"rooster": [None, "move"]}, "rooster:"),
        (OPEN, {"rooster": ["add", "sing"]}, "last:"),
        (PLACED, {"rooster": ["add", None]}, "rooster:"),
        (OPEN, {"to_move": 2}, "to_move"),
        (OPEN, {"to_move": -1}, "to_move"),
        (OPEN, {"to_move": None}, "to_move:"),
        (OPEN, {"phase": "over"}, "phase: must be 'turn'"),
        (OPEN, {"last": "move a1 c3 4"}, "last:"),
        (OPEN, {"last": 7}, "last:"),
        (OPEN, {"last": "move a1 c3 3"}, "last: 'move a1 c3 3' cannot have led"),
        (OPEN, {"last": "move b1 c3 1"}, None),
        (OPEN, {"last": "add cat c3"}, "does not fit the rooster of seat 1"),
        (OPEN, {"last": "add dog c3", "rooster": ["add", "add"]}, "no dog is on top of c3"),
        (OPEN, {"actions": -1}, "actions"),
        (OPEN, {"actions": 201}, "actions"),
        (OPEN, {"actions": True}, "actions"),
        (OPEN, {"actions": 200}, "result: must be {'ranks': [0, 0], 'reason': 'limit'}"),
        (OPEN, {"seen": 2}, "seen:"),
        (OPEN, {"history": {KEY: 1}}, "history: must be empty"),
        (PLACED, {"history": {"x": 1}}, "history['x']"),
        (PLACED, {"history": {"0" + KEY: 1}}, "history"),
        (PLACED, {"history": {"268435456": 1}}, "history"),
        (PLACED, {"history": {KEY: 0}}, "history"),
        (PLACED, {"history": {str(int(KEY) + 2**27): 1}}, "does not contain the position itself"),
        (PLACED, {"history": {KEY: 2}, "seen": 1}, "seen"),
        (PLACED, {"history": {KEY: 3}}, "result: must be {'ranks': [0, 0], 'reason': 'repet"),
        (LINE, {"to_move": 1, "result": None}, "result: must be {'ranks': [0, 1]"),
        (LINE, {"result": {"ranks": [0, 0], "reason": "line"}}, "result"),
        (LINE, {"result": {"ranks": [0, 1], "reason": "stuck"}}, "result: must be"),
        (LINE, {"result": {"ranks": [0, 2], "reason": "line"}}, "result.ranks"),
        (LINE, {"result": {"ranks": [0, 1], "reason": 1}}, "result.reason"),
        (LINE, {"result": {"ranks": [0, 1], "reason": "line", "scores": [1, 0]}}, "result"),
        (OPEN, {"rooter": ["add", "add"]}, "rooter: no such field"),
    ],
)
def test_a_bad_field_is_refused_by_name(
    base: dict[str, Any], change: dict[str, Any], named: str | None
) -> None:
    if named is None:
        assert TUNED.load(base | change).to_json()["last"] == change["last"]
        return

    with pytest.raises(BadPosition) as refused:
        TUNED.load(base | change)

    assert named in str(refused.value)


@pytest.mark.parametrize("field", ["board", "hands", "rooster", "to_move"])
def test_a_missing_field_is_refused_by_name(field: str) -> None:
    data = {name: value for name, value in OPEN.items() if name != field}

    with pytest.raises(BadPosition, match=f"^{field}: is missing"):
        TUNED.load(data)


def test_seen_alone_starts_the_count() -> None:
    state = TUNED.load(PLACED | {"seen": 2})

    assert state.to_json()["history"] == {KEY: 2}


@pytest.mark.parametrize("seat", [0, 1])
def test_a_draw_remembers_whose_turn_it_would_be(seat: int) -> None:
    key = str(int(KEY) + 2**27 * seat)
    over = PLACED | {
        "to_move": None,
        "result": {"ranks": [0, 0], "reason": "repetition"},
        "history": {key: 3, str(int(KEY) + 2**27 * (1 - seat)): 1},
    }

    loaded = TUNED.load(over).to_json()

    assert loaded["seen"] == 3
    assert loaded["history"] == over["history"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 300) | st.sampled_from(["D", "DG", "add", "a1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a1", "ranks", "reason", KEY]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(field=st.sampled_from(sorted(TUNED.load(OPEN).to_json())), value=JSON)
def test_whatever_a_field_holds_only_bad_position_is_raised(field: str, value: object) -> None:
    for base in (OPEN, PLACED, LINE):
        try:
            state = TUNED.load(base | {field: value})
        except BadPosition:
            continue
        assert TUNED.load(state.to_json()).to_json() == state.to_json()


@pytest.mark.parametrize(
    "text", ["add mouse a1", "add cat a9", "move a1 b1", "move a1 b1 0", "ADD CAT A1", "pass", ""]
)
def test_what_is_no_action_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(BadAction, match="write 'add") as refused:
        first_position().parse(text)

    assert refused.value.text == text


def test_numbers_and_texts_of_all_actions_are_one_to_one() -> None:
    state = first_position()
    texts = [state.text(action) for action in range(270)]

    assert [state.parse(text) for text in texts] == list(range(270))
    with pytest.raises(IndexError, match="action 270 does not exist"):
        state.text(270)
