"""Positions of Azure as JSON: what is refused, and that nothing else is ever raised."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import GAMES, BadAction, BadPosition

AZURE = GAMES["azure"]
FEW: dict[str, Any] = {
    "layout": ["A1.0", "W1.0", "V1.0", "B1.0"],
    "to_move": 0,
    "hands": ["AB", "WV"],
    "hidden": "VVB",
    "stones": {"c2": 0, "e2": 1, "f1": 1, "d4": 1},
    "beasts": {"tortoise": 1},
    "wisdom": [3, 2],
}
FULL = AZURE.load(FEW).to_json()
SEEN = AZURE.load(FEW).observation(0)
BOON: dict[str, Any] = FEW | {
    "options": {"gifted": "bountiful"},
    "gifted_at": ["b2", None],
    "stones": {"b2": 0, "a2": 0},
    "beasts": {},
    "phase": "boon",
    "boon_at": "a2",
}
RETURN: dict[str, Any] = FEW | {
    "hands": ["AB", "WVV"],
    "hidden": "VB",
    "beasts": {"bird": 0},
    "stones": {"a5": 1, "a6": 0, "b6": 0},
    "to_move": 1,
    "phase": "return",
}
RESHUFFLE: dict[str, Any] = RETURN | {
    "hidden": "",
    "to_move": -1,
    "phase": "reshuffle",
    "draws": 1,
}
WON: dict[str, Any] = FEW | {
    "wisdom": [25, 2],
    "to_move": None,
    "result": {"ranks": [0, 1], "reason": "wisdom", "scores": [25, 2]},
}
STUCK: dict[str, Any] = FEW | {
    "hands": ["", "WV"],
    "stones": {"c6": 1},
    "beasts": {},
    "to_move": None,
    "result": {"ranks": [1, 0], "reason": "stuck", "scores": [3, 2]},
}
SPACES = [f"{column}{row}" for row in (2, 3, 5) for column in "abcdef"]
BASES = (FEW, FULL, SEEN, BOON, RETURN, RESHUFFLE, WON, STUCK)


@pytest.mark.parametrize("data", BASES)
def test_a_position_with_few_fields_loads(data: dict[str, Any]) -> None:
    loaded = AZURE.load(data)

    shown = loaded.to_json() | loaded.observation(0)
    for name, value in data.items():
        filled = {**dict.fromkeys(shown["beasts"]), **value} if name == "beasts" else value
        assert shown[name] == filled
    assert AZURE.load(loaded.to_json()).to_json() == loaded.to_json()


@pytest.mark.parametrize("data", BASES)
@pytest.mark.parametrize("seat", [0, 1])
def test_an_observation_loads_too(data: dict[str, Any], seat: int) -> None:
    observation = AZURE.load(data).observation(seat)

    assert AZURE.load(observation).observation(seat) == observation


def test_events_of_all_kinds_come_through() -> None:
    state = AZURE.load(RETURN | {"hidden": ""})
    state.apply(state.parse("return VV"))
    state.apply_chance("reshuffle AAWWVVBB")
    state.apply(state.parse("place f1"))
    loaded = AZURE.load(state.to_json())

    kinds = {event["kind"] for event in state.to_json()["events"]}
    assert {"return", "reshuffle", "draw", "place", "gather"} <= kinds
    assert loaded.to_json() == state.to_json()


@pytest.mark.parametrize(
    ("base", "change", "named"),
    [
        (FEW, {"layout": ["A1.0", "W1.0", "V1.0"]}, "layout: must be a list of 4"),
        (FEW, {"layout": ["A1.0", "W1.0", "V1.0", "A2.0"]}, "layout: needs one board"),
        (FEW, {"layout": ["A1.0", "W1.0", "V1.0", "B1.4"]}, "layout: needs one board"),
        (FEW, {"layout": [1, 2, 3, 4]}, "layout[0]:"),
        (FEW, {"layout": None}, "layout"),
        (FEW, {"hands": ["BA", "WV"]}, "hands:"),
        (FEW, {"hands": ["AX", "WV"]}, "hands[0]: must be a string"),
        (FEW, {"hands": ["A" * 13, "WV"]}, "hands[0]: 13 cards A"),
        (FEW, {"hands": ["A" * 12, "A"]}, "hands and hidden: 13 cards A"),
        (FEW, {"hidden": "VXB"}, "hidden: must be a string"),
        (FEW, {"hidden": None}, "hidden: is missing"),
        (FEW, {"decks": {"A": 1}}, "decks:"),
        (FEW, {"stones": {"a9": 0}}, "stones: 'a9' is not a cell"),
        (FEW, {"stones": {"c2": 2}}, "stones.c2"),
        (FEW, {"stones": {"c2": True}}, "stones.c2"),
        (FEW, {"stones": {"a1": 0}}, "stones.a1: is a mountain"),
        (FEW, {"stones": {"d4": 0}}, "stones.d4: seat 0 has no favour"),
        (FEW, {"beasts": {"phoenix": 0}}, "beasts: 'phoenix' is not a beast"),
        (FEW, {"beasts": {"bird": 2}}, "beasts.bird"),
        (FEW, {"gifted_at": ["c2", None]}, "gifted_at: must be [null, null]"),
        (BOON, {"gifted_at": ["c3", None]}, "gifted_at[0]: no stone of seat 0"),
        (FEW, {"supply": [15, 0]}, "supply[0]"),
        (FEW, {"supply": [14, 0]}, "supply[0]"),
        (FEW, {"stones": dict.fromkeys(SPACES, 1)}, "stones: seat 1 has more than 14"),
        (FEW, {"wisdom": [25, 2]}, "wisdom[0]"),
        (FEW, {"wisdom": [-1, 2]}, "wisdom[0]"),
        (FEW, {"turn": 9}, "turn: must be 4"),
        (FEW, {"to_move": None}, "to_move: must be a seat"),
        (FEW, {"to_move": -1}, "to_move: must be a seat"),
        (FEW, {"to_move": 2}, "to_move"),
        (FEW, {"phase": "over"}, "result: must be there"),
        (FEW, {"phase": "dance"}, "phase: must be one of"),
        (FEW, {"phase": "setup", "to_move": -1}, "layout:"),
        (FEW, {"boon_at": "c2"}, "boon_at: must be null"),
        (FEW, {"draws": 1}, "draws"),
        (FEW, {"hands": ["", "WV"], "stones": {}}, "result: must be present: seat 0"),
        (FEW, {"known": ["W", ""]}, "known[0]: is not part"),
        (FEW, {"events": 3}, "events: must be a list"),
        (FEW, {"events": [{"kind": "dance"}]}, "events[0]: must be an object"),
        (FEW, {"events": [{"kind": "draw", "player": 0, "n": 2}]}, "events[0]: is not"),
        (FEW, {"events": [{"kind": "gather", "player": 0, "n": 2}]}, "events[0].colour:"),
        (FEW, {"events": [{"kind": "reshuffle", "n": [2, 2, 2, 2]}]}, "events[0].n:"),
        (FEW, {"events": [{"kind": "return", "player": 0, "cards": "X"}]}, "events[0].cards:"),
        (FEW, {"since": [0, 1]}, "since:"),
        (
            FULL | {"events": [{"kind": "mountain_stone", "player": 0, "on": True}]},
            {"since": [1, 1]},
            "since: one of the two",
        ),
        (FEW, {"stone": {}}, "stone: no such field"),
        (BOON, {"boon_at": "c2"}, "boon_at: no stone of seat 0"),
        (BOON, {"boon_at": None}, "boon_at: is missing"),
        (BOON, {"options": {"gifted": "mighty"}}, "boon_at: no Bountiful stone"),
        (BOON, {"stones": {"b2": 0, "b3": 0}, "boon_at": "b3"}, "boon_at: leaves no choice"),
        (RETURN, {"beasts": {"bird": 1}}, "beasts.bird"),
        (RETURN, {"beasts": {}}, "beasts.bird"),
        (RETURN, {"hands": ["AB", "WV"]}, "phase: 'return' needs"),
        (RESHUFFLE, {"hidden": "A"}, "phase: 'reshuffle' needs"),
        (RESHUFFLE, {"draws": 3}, "draws"),
        (RESHUFFLE, {"draws": None}, "draws"),
        (WON, {"wisdom": [24, 2]}, "result.scores"),
        (WON, {"result": {"ranks": [1, 0], "reason": "wisdom", "scores": [25, 2]}}, "result"),
        (WON, {"result": {"ranks": [0, 0], "reason": "wisdom", "scores": [25, 2]}}, "result"),
        (WON, {"result": {"ranks": [0, 1], "reason": "luck", "scores": [25, 2]}}, "result"),
        (WON, {"result": {"ranks": [0, 1], "reason": "wisdom"}}, "result"),
        (STUCK, {"hands": ["A", "WV"]}, "result: seat 0 can still place"),
        (SEEN, {"you": 2}, "you"),
        (SEEN, {"you": None}, "you"),
        (SEEN, {"hand": "AAB"}, "hand_sizes[0]: must be 3"),
        (SEEN, {"hand_sizes": [3, 2]}, "hand_sizes[0]"),
        (SEEN, {"hand_sizes": [2, 9]}, "hand_sizes: 9 drawn"),
        (SEEN, {"hidden_size": 99}, "hand_sizes:"),
        (SEEN, {"decks": {"A": 11}}, "decks:"),
        (SEEN, {"decks": {"A": 13, "W": 1, "V": 1, "B": 1}}, "decks.A"),
        (SEEN, {"realm": []}, "realm:"),
        (SEEN, {"realm": [[]] * 6}, "realm:"),
    ],
)
def test_a_bad_field_is_refused_by_name(
    base: dict[str, Any], change: dict[str, Any], named: str
) -> None:
    with pytest.raises(BadPosition) as refused:
        AZURE.load(base | change)

    assert named in str(refused.value)


def test_no_hand_of_the_other_seat_may_fit() -> None:
    # Seat 1 is said to be on turn, but no card is left that it could have.
    seen = AZURE.load(FEW | {"to_move": 1, "stones": {}, "beasts": {}}).observation(0)
    counts = {"A": 11, "W": 12, "V": 12, "B": 11}

    with pytest.raises(BadPosition, match="result: no hand of seat 1 fits it"):
        AZURE.load(seen | {"decks": counts, "hand_sizes": [2, 0], "hidden_size": 0})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 300) | st.sampled_from(["A", "AV", "c2", "bird"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["c2", "A", "kind", "bird", "n"]), inner, max_size=3)
        | st.fixed_dictionaries(
            {"kind": st.sampled_from(["place", "gather", "draw", "return", "reshuffle", "end"])},
            optional={"player": inner, "n": inner, "cards": inner, "cell": inner, "ranks": inner},
        )
    ),
    max_leaves=8,
)


@given(field=st.sampled_from(sorted({*FULL, *SEEN, "draws"})), value=JSON)
def test_whatever_a_field_holds_only_bad_position_is_raised(field: str, value: object) -> None:
    for base in BASES:
        for given_value in (value, [value], [value, value]):
            try:
                state = AZURE.load(base | {field: given_value})
            except BadPosition:
                continue
            assert AZURE.load(state.to_json()).to_json() == state.to_json()


@pytest.mark.parametrize(
    "text",
    ["place", "place a7", "place A1", "gift g1", "return VA", "return A", "boon", "pass", ""],
)
def test_what_is_no_action_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(BadAction, match="write 'place <cell>'") as refused:
        AZURE.start().parse(text)

    assert refused.value.text == text


def test_numbers_and_texts_of_all_actions_are_one_to_one() -> None:
    state = AZURE.start()
    texts = [state.text(action) for action in range(84)]

    assert [state.parse(text) for text in texts] == list(range(84))
    with pytest.raises(IndexError, match="action 84 does not exist"):
        state.text(84)
