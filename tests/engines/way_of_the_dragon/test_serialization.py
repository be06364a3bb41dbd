"""Positions, dice and chance texts of Way of the Dragon: what is refused, and by what name."""

import random
from collections import Counter
from math import sqrt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import BadAction, BadChance, BadPosition
from pentathlon_engines.way_of_the_dragon.dice import ALL, NUMBERS, WORDS, roll, rolls
from tests.engines.way_of_the_dragon.positions import DRAGON, do, pieces, position

KEEP: dict[str, Any] = {
    "positions": [pieces(water=4, metal=6), pieces(fire=3, metal=9)],
    "to_move": 1,
    "phase": "keep",
    "dice": "wwmdd",
    "rolls_left": 2,
    "power_used": [False, False],
    "turn": 7,
}
ROLL = KEEP | {"to_move": -1, "turn_of": 1, "phase": "roll", "kept": "ww", "rolls_left": 1}
POWERS = KEEP | {"options": {"powers": True}, "power_used": [True, False]}
EMPTY = {"positions": [pieces(), pieces()], "dice": "", "rolls_left": 0, "turn": 0, "to_move": -1}
START = KEEP | EMPTY | {"phase": "start"}
DEAD = START | {"phase": "dead", "options": {"dead": 3}, "dead": {"fire": [2]}}
MOVE = KEEP | {"phase": "move", "rolls_left": 0}
CAP: dict[str, Any] = {"ranks": [1, 0], "reason": "cap", "scores": [1, 4], "numbered": [1, 1]}
OVER = MOVE | {"phase": "over", "to_move": None, "turn": 120, "result": CAP}
RED = KEEP["positions"][1]


@pytest.mark.parametrize("data", [KEEP, ROLL, POWERS, START, DEAD, MOVE, OVER])
def test_a_position_with_few_fields_loads(data: dict[str, Any]) -> None:
    loaded = DRAGON.load(data).to_json()

    kept = {name: value for name, value in data.items() if name != "options"}
    assert {name: loaded[name] for name in kept} == kept
    assert loaded["options"].items() >= data.get("options", {}).items()


@pytest.mark.parametrize(
    ("base", "change", "named"),
    [
        (KEEP, {"positions": [pieces()]}, "positions: must be a list with 2 to 5 seats"),
        (KEEP, {"positions": 3}, "positions"),
        (KEEP, {"positions": [pieces(), {"water": 1}]}, "positions[1]: must be an object"),
        (KEEP, {"positions": [pieces(), 7]}, "positions[1]"),
        (KEEP, {"positions": [pieces(), pieces(water=11)]}, "positions[1].water"),
        (KEEP, {"positions": [pieces(), pieces(water=0)]}, "positions[1].water"),
        (KEEP, {"positions": [pieces(wood=2), pieces(wood=2)]}, "something else on 2"),
        (KEEP, {"players": 3}, "players: must be 2"),
        (KEEP, {"colors": ["red", "black"]}, "colors: must be ['black', 'red']"),
        (KEEP, {"plain_spaces": [5, 5]}, "plain_spaces"),
        (KEEP, {"plain_spaces": [5, 5, 5, 5, 2]}, "plain_spaces[4]"),
        (KEEP, {"plain_spaces": [5, 5, 5, 5, 13]}, "plain_spaces[4]"),
        (KEEP, {"plain_spaces": [3, 5, 3, 5, 5]}, "positions[1].metal"),
        (KEEP, {"dead": {"air": [1]}}, "dead: 'air' is not an element"),
        (KEEP, {"dead": {"wood": []}}, "dead:"),
        (KEEP, {"dead": {"wood": [1, 2, 3]}}, "dead.wood"),
        (KEEP, {"dead": {"wood": [6]}}, "dead.wood"),
        (KEEP, {"dead": {"wood": [2, 1]}}, "dead:"),
        (KEEP, {"dead": {"fire": [3]}}, "positions[1].fire: there is something else on 3"),
        (KEEP, {"options": {"start_seat": "2"}}, "options: option 'start_seat' is '2'"),
        (KEEP, {"options": {"colors": "wwmeo"}}, "options: option 'colors' may be 'wfmeo'"),
        (KEEP, {"to_move": -1}, "to_move:"),
        (KEEP, {"to_move": None}, "to_move"),
        (ROLL, {"to_move": 1}, "to_move:"),
        (OVER, {"to_move": 0}, "to_move:"),
        (KEEP, {"phase": "think"}, "phase:"),
        (KEEP, {"phase": 3}, "phase:"),
        (KEEP, {"power_used": [True, False]}, "power_used[0]: must be false without powers"),
        (POWERS, {"power_used": [1, False]}, "power_used[0]: must be true or false"),
        (KEEP, {"turn": 0}, "turn"),
        (KEEP, {"turn": 121}, "turn"),
        (START, {"turn": 1}, "turn"),
        (KEEP, {"turn_of": 0}, "turn_of: must be 1"),
        (ROLL, {"turn_of": None}, "turn_of: is missing"),
        (START, {"turn_of": 0}, "turn_of: must be null"),
        (KEEP, {"dice": "wwm"}, "dice: must be five dice"),
        (KEEP, {"dice": "mwwdd"}, "dice:"),
        (KEEP, {"dice": ""}, "dice: is missing in phase 'keep'"),
        (KEEP, {"kept": "f"}, "kept: must be some of the dice"),
        (KEEP, {"kept": "wwmdd"}, "kept"),
        (KEEP, {"rolls_left": 0}, "rolls_left: must be 1 or 2"),
        (KEEP, {"rolls_left": 3}, "rolls_left"),
        (MOVE, {"rolls_left": 1}, "rolls_left: must be 0 in phase 'move'"),
        (ROLL, {"rolls_left": 2}, "rolls_left: must be below 2"),
        (ROLL, {"dice": "", "kept": ""}, "dice: must be there"),
        (MOVE, {"phase": "extra"}, "phase: must not be 'extra'"),
        (MOVE, {"phase": "extra", "dice": "wwwww", "turn": 120}, "phase: must not be 'extra'"),
        (START, {"options": {"start_seat": "1"}}, "phase: must not be 'start'"),
        (START, {"positions": [pieces(), RED]}, "phase: must not be 'start' when the match"),
        (DEAD, {"options": {"dead": 1}}, "dead: must be fewer"),
        (OVER, {"turn": 119}, "phase: must not be 'over'"),
        (OVER, {"result": None}, "result: must be {'ranks': [1, 0], 'reason': 'cap'"),
        (OVER, {"result": CAP | {"ranks": [0, 1]}}, "result: must be"),
        (MOVE, {"result": CAP}, "result: must be None"),
        (KEEP, {"last": {"seat": 0}}, "last:"),
        (KEEP, {"last": {"seat": 0, "action": "fly"}}, "last"),
        (KEEP, {"last": {"seat": 2, "action": "pass"}}, "last.seat"),
        (KEEP, {"moved": [["fire", 0, 4]]}, "moved[0]: no piece stands on 4"),
        (KEEP, {"moved": [["fire", 0]]}, "moved[0]: must be a list"),
        (KEEP, {"moved": [["air", 0, 4]]}, "moved[0]:"),
        (KEEP, {"moved": [["fire", 3, 11]]}, "moved[0]"),
        (KEEP, {"ply": -1}, "ply"),
        (KEEP, {"dise": "wwwww"}, "dise: no such field"),
    ],
)
def test_a_bad_field_is_refused_by_name(
    base: dict[str, Any], change: dict[str, Any], named: str
) -> None:
    with pytest.raises(BadPosition) as refused:
        DRAGON.load(base | change)

    assert named in str(refused.value)


@pytest.mark.parametrize("field", ["positions", "to_move", "phase", "power_used", "turn"])
def test_a_missing_field_is_refused_by_name(field: str) -> None:
    data = {name: value for name, value in KEEP.items() if name != field}

    with pytest.raises(BadPosition, match=f"^{field}: "):
        DRAGON.load(data)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 130)
    | st.sampled_from(["wwmdd", "ww", "water", "roll", "over", "extra", "pass"]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["water", "ranks", "seat", "action"]), inner, max_size=5)
    ),
    max_leaves=6,
)


@given(field=st.sampled_from(sorted(DRAGON.load(KEEP).to_json())), value=JSON)
def test_whatever_a_field_holds_only_bad_position_is_raised(field: str, value: object) -> None:
    for base in (KEEP, ROLL, POWERS, DEAD, OVER):
        try:
            state = DRAGON.load(base | {field: value})
        except BadPosition:
            continue
        assert DRAGON.load(state.to_json()).to_json() == state.to_json()


@pytest.mark.parametrize(
    "text",
    ["keep wfw", "keep wwmdd", "keep", "move air", "wild water 6", "swap water 3 3", "PASS"],
)
def test_what_is_no_action_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(BadAction, match="write 'stop'"):
        DRAGON.load(KEEP).parse(text)


def test_numbers_and_texts_of_all_actions_are_one_to_one() -> None:
    state = DRAGON.load(KEEP)
    count = 1 + 2 * ALL + 5 + 5 + 25 + 5 * 136 + 7
    texts = [state.text(action) for action in range(count)]

    assert [state.parse(text) for text in texts] == list(range(count))
    for action in (-1, count):
        with pytest.raises(IndexError, match=f"action {action} does not exist"):
            state.text(action)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (ROLL, "roll wfmeo"),
        (ROLL, "roll wwm"),
        (ROLL, "roll mwwdd"),
        (ROLL, "roll"),
        (ROLL, "rolls wwmdd"),
        (ROLL, "start 1"),
        (START, "start 2"),
        (START, "start"),
        (DEAD, "dead fire 2"),
        (DEAD, "dead fire 6"),
        (DEAD, "dead air 1"),
    ],
)
def test_chance_that_cannot_happen_is_refused_and_changes_nothing(
    data: dict[str, Any], text: str
) -> None:
    state = DRAGON.load(data)
    before = state.to_json()

    with pytest.raises(BadChance, match="cannot happen here; write"):
        state.apply_chance(text)

    assert state.to_json() == before


@pytest.mark.parametrize("kept", ["", "w", "wd", "wwm", "wfme"])
def test_weights_of_rolls_are_all_ways_of_the_dice(kept: str) -> None:
    weights = dict(rolls(NUMBERS[kept]))

    assert sum(weights.values()) == 6 ** (5 - len(kept))
    assert all(Counter(WORDS[dice]) >= Counter(kept) for dice in weights)


def test_rolls_come_as_often_as_their_weights_say() -> None:
    weights, rng, draws = dict(rolls(NUMBERS["ww"])), random.Random(1), 21_600

    drawn = Counter(roll(NUMBERS["ww"], rng.random) for _ in range(draws))

    square = sum(
        (drawn[dice] - 100 * weight) ** 2 / (100 * weight) for dice, weight in weights.items()
    )
    freedom = len(weights) - 1
    assert abs(square - freedom) < 4 * sqrt(2 * freedom)


def test_an_observation_can_be_changed_without_harm() -> None:
    state = position(pieces(), pieces(), dice="wwmdd")
    seen = state.observation(0)
    seen["options"]["powers"] = True
    seen["positions"][0]["water"] = 9

    do(state, "move water")

    assert state.to_json()["options"]["powers"] is False
    assert state.to_json()["positions"][0]["water"] == 2
