"""Positions of Maatatahay as JSON: what loads, what is refused and how, and nothing else."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import CHANCE, BadAction, BadPosition, State
from pentathlon_engines.maatatahay.board import RULES
from tests.engines.maatatahay.by_page import TILES
from tests.engines.maatatahay.positions import MAATATAHAY, do, fields, position

PAGE = Path(__file__).parents[3] / "engines" / "rules" / "maatatahay.md"
OPEN = fields({"c2": "0.1n s1e1", "a1": "1.2x"}, storage=["s1e2", "s2e0"], deaths=[0, 1])
PAIR = fields(phase="pair", to_move=1, pair=None, order=None, stream=[[9, 2], [5, 12]])
ORDER = fields(phase="order", to_move=0, order=None)
HOT = fields({"a1": "0.5n"}, phase="add", hot="a1", storage=["s2e4", "s0e0"])
SETTLE = do(
    position({"a1": "1.11n", "a2": "1.3n s1e0", "b1": "0.4n", "b2": "0.8n"}),
    "place a3",
    "face n",
    "add s0e0",
).to_json()
OVER = do(
    position(
        {"a1": "0.3n"}, to_move=1, step=1, pair=[7, 9], deaths=[3, 3], round_deaths=1, track=5
    ),
    "place e5",
    "face n",
    "add s0e0",
).to_json()
BASES = (OPEN, PAIR, ORDER, HOT, SETTLE, OVER)


@pytest.mark.parametrize("data", BASES, ids=lambda data: data["phase"])
def test_a_position_loads_as_it_was_written(data: dict[str, Any]) -> None:
    loaded = MAATATAHAY.load(data)

    again = loaded.to_json()
    assert {name: again[name] for name in data} == data
    assert MAATATAHAY.load(again).to_json() == again


def test_the_example_of_the_page_loads() -> None:
    found = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    data = json.loads(found[1])

    assert MAATATAHAY.load(data).to_json() == data


def test_the_table_of_the_page_is_the_data_file() -> None:
    for tile in RULES["tiles"]:
        printed = TILES[tile["id"]]
        assert (printed["claws"], printed["gems"]) == (tile["claws"], tile["gems"])
        assert sorted(printed["arrows"]) == sorted(tile["arrows"])
        assert printed["is"] == (tile["special"] or "")


def test_the_setup_of_the_page_can_happen() -> None:
    found = re.search(r"```\n(setup.*?)\n```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    state = MAATATAHAY.start()

    state.apply_chance(found[1].replace("\n", " "))

    assert state.to_json()["phase"] == "pair"


def test_decks_left_out_are_what_was_not_seen() -> None:
    after = MAATATAHAY.load(OPEN).to_json()

    assert after["decks"][0] == [2, 3, 4, 6, 7, 8, 9, 10, 11, 12]
    assert after["decks"][1] == [1, 3, 4, 5, 6, 7, 8, 10, 11, 12]


@pytest.mark.parametrize("seat", [0, 1, None])
def test_an_observation_loads_and_is_seen_again(seat: int | None) -> None:
    rng, state = random.Random(4), MAATATAHAY.start()
    while state.to_move is not None:
        seen = state.observation(seat)
        assert MAATATAHAY.load(json.loads(json.dumps(seen))).observation(seat) == seen
        _go_on(state, rng)


def _go_on(state: State, rng: random.Random) -> None:
    if state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))
    else:
        state.apply_unchecked(state.random_action(rng))


TILE = {"owner": 0, "tile": 6, "face": "n", "spirit": 0, "energy": 0, "alive": True}


@pytest.mark.parametrize(
    ("base", "change", "named"),
    [
        (OPEN, {"phase": "lunch"}, "phase: must be one of"),
        (OPEN, {"to_move": 1}, "to_move: must be 0 in phase 'place'"),
        (OPEN, {"to_move": None}, "to_move: must be a seat"),
        (OPEN, {"to_move": -1}, "to_move: must be a seat"),
        (OPEN, {"round": 13}, "round"),
        (OPEN, {"active": None}, "active: is missing"),
        (OPEN, {"pair": None}, "pair: must be null in phase 'pair', and only then"),
        (PAIR, {"pair": [1, 2]}, "pair"),
        (OPEN, {"pair": [13, 1]}, "pair"),
        (OPEN, {"order": None}, "order"),
        (OPEN, {"order": [0, 0]}, "order:"),
        (PAIR, {"order": [0, 1]}, "order"),
        (PAIR, {"step": 1}, "step"),
        (PAIR, {"stream": [[1]]}, "stream[0]"),
        (PAIR, {"stream": [], "decks": [[], []]}, "stream: must have a pair"),
        (PAIR, {"stream": [[1, 1]] * 2}, "tile 1 of balan occurs twice"),
        (ORDER, {"to_move": 1}, "to_move: must be 0"),
        (OPEN, {"hot": "c2"}, "hot: must be null"),
        (OPEN, {"step": 1, "to_move": 1, "hot": "a1"}, "hot: must be tile 5 of seat 0"),
        (OPEN, {"targets": ["c2"]}, "targets: must be empty"),
        (OPEN, {"round_deaths": 1, "track": 0}, "round_deaths: must be 0"),
        (OPEN, {"track": 0}, "track: must be 1"),
        (OPEN, {"deaths": [4, 2], "track": 6}, "track: the match is over at 6"),
        (OPEN, {"hot_target": True}, "hot_target:"),
        (OPEN, {"hot_target": 0}, "hot_target:"),
        (OPEN, {"board": {"f1": TILE}}, "board: 'f1' is not a space"),
        (OPEN, {"board": {"b2": TILE}}, "board.b2: a relic is there"),
        (OPEN, {"board": {"a1": TILE | {"face": "ne"}}}, "board.a1.face"),
        (OPEN, {"board": {"a1": TILE | {"alive": 1}}}, "board.a1.alive"),
        (OPEN, {"board": {"a1": TILE | {"tile": 0}}}, "board.a1.tile"),
        (OPEN, {"board": {"a1": TILE | {"name": 0}}}, "board.a1: must be an object"),
        (OPEN, {"board": {"a1": TILE | {"alive": False, "spirit": 1}}}, "board.a1.spirit"),
        (OPEN, {"board": {"a1": TILE, "a2": TILE}}, "tile 6 of balan occurs twice"),
        (OPEN, {"board": {"a1": TILE | {"tile": 5}}}, "tile 5 of balan occurs twice"),
        (OPEN, {"ground": {"a1": {"spirit": 1, "energy": 0}}}, "ground.a1: a tile or a relic"),
        (OPEN, {"ground": {"b1": {"spirit": 2, "energy": 2}}}, "ground.b1: must be at most 3"),
        (OPEN, {"relics_on_map": ["a5"]}, "relics_on_map:"),
        (OPEN, {"relics": [1, 0]}, "relics: there are 5"),
        (OPEN, {"storage": [{"spirit": 5, "energy": 0}] * 2}, "storage[0]:"),
        (HOT, {"storage": [{"spirit": 4, "energy": 4}] * 2}, "storage[0]: must be at most 7"),
        (HOT, {"hot": None}, "hot: must be a space"),
        (HOT, {"hot": "b1"}, "hot: must be the living tile 5 of seat 0"),
        (HOT, {"phase": "face", "board": {"a1": TILE | {"tile": 5, "energy": 1}}}, "must face n"),
        (SETTLE, {"targets": ["a1"]}, "targets: must be two or more"),
        (SETTLE, {"targets": ["a1", "b1"]}, "targets: must be surrounded"),
        (SETTLE, {"targets": ["a1", "a3"]}, "targets: must be surrounded"),
        (OPEN, {"decks": [[1], [1]]}, "decks[0]: has a tile that is on the map"),
        (OPEN, {"decks": [[2, 2], [1, 3]]}, "decks[0]:"),
        (OPEN, {"decks": [[2], []]}, "decks: must have equally many"),
        (OPEN, {"decks": [[2], [3]], "deck_left": 2}, "deck_left: must be 1"),
        (OPEN, {"bag": ["s", "x"]}, "bag[1]:"),
        (OPEN, {"bag": None}, "bag_mix: is missing"),
        (OPEN, {"supply": {"spirit": 1}}, "supply: must be an object"),
        (OPEN, {"result": {"ranks": [0, 1]}}, "result: must be None"),
        (OVER, {"result": None}, "result: must be {'ranks': [0, 1]"),
        (OVER, {"deaths": [1, 1], "track": 2}, "no reason to end holds"),
        (OPEN, {"hats": 1}, "hats: no such field"),
    ],
)
def test_a_bad_field_is_refused_by_name(
    base: dict[str, Any], change: dict[str, Any], named: str
) -> None:
    data = {name: value for name, value in (base | change).items() if name != "legal"}

    with pytest.raises(BadPosition) as refused:
        MAATATAHAY.load(data)

    assert named in str(refused.value)


def test_a_round_needs_two_free_spaces() -> None:
    crowd = [f"{column}{row}" for row in "15" for column in "abcde"]
    crowd += ["a2", "c2", "e2", "a3", "b3", "d3", "e3", "a4", "c4"]
    seats = [f"{seat}.{tile}x" for tile in (1, 2, 3, 4, 6, 7, 8, 10, 11, 12) for seat in (0, 1)]

    with pytest.raises(BadPosition, match="at least 2 free spaces"):
        position(dict(zip(crowd, seats, strict=False)))


def test_before_the_setup_nothing_else_can_be_said() -> None:
    start = MAATATAHAY.start().to_json()

    assert MAATATAHAY.load(start).to_json() == start
    with pytest.raises(BadPosition, match="track: must be 0 here"):
        MAATATAHAY.load(start | {"track": 1})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 70) | st.sampled_from(["a1", "s", "n", "b2"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a1", "c2", "spirit", "energy", "owner", "ranks"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@given(field=st.sampled_from(sorted({*SETTLE, "deck_left", "unseen", "bag_mix"})), value=JSON)
def test_whatever_a_field_holds_only_bad_position_is_raised(field: str, value: object) -> None:
    for base in BASES:
        try:
            state = MAATATAHAY.load(base | {field: value})
        except BadPosition:
            continue
        assert MAATATAHAY.load(state.to_json()).to_json() == state.to_json()
        state.playout(random.Random(1))


@pytest.mark.parametrize(
    "text",
    ["pair 0", "pair 4", "place f1", "place a1 pay s1e0", "place c3 pay s0e2", "add s8e0", ""],
)
def test_what_is_no_action_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(BadAction, match="write 'pair") as refused:
        MAATATAHAY.start().parse(text)

    assert refused.value.text == text


def test_numbers_and_texts_of_all_actions_are_one_to_one() -> None:
    state = MAATATAHAY.start()
    every = range(MAATATAHAY.info.actions)

    assert [state.parse(state.text(action)) for action in every] == list(every)
    with pytest.raises(IndexError, match="action 145 does not exist"):
        state.text(145)
