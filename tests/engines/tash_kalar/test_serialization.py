"""Positions of Tash-Kalar as JSON: what loads, what is refused and how, and nothing else."""

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import CHANCE, BadAction, BadPosition, State
from tests.engines.tash_kalar.positions import DUEL, TASH_KALAR, do, position, ready

PAGE = Path(__file__).parents[3] / "engines" / "rules" / "tash_kalar.md"
MAIN = position("c4 d4h e5l", "g5 f6h", cards="warlord titan flare_01").to_json()
DUELS = position("c4 d4h e5l", "g5 f6h", cards="bomb", mode=DUEL, scores=[3, 4]).to_json()
END = position("c2h d8h e5 a3", "g5", phase="turn_end", actions_left=0, tasks={
    "current": ["task_red_conquest"], "next": "task_isolation",
}).to_json()  # fmt: skip
EFFECT = do(ready("cavalry_captain e5", "b4 b5"), "summon cavalry_captain e5").to_json()
RETURN = do(position(cards="warlord dire_wolf titan flare_01"), "discard warlord").to_json()
SHORT = do(
    ready("dire_wolf e5", "a3h a4 a5 a6 a7 b3 b4 b5 b6 b7 c8 c9 d8 d9"), "summon dire_wolf e5"
).to_json()
BASES = (MAIN, DUELS, END, EFFECT, RETURN, SHORT)


def shuffling() -> dict[str, Any]:
    """Return a position in which the legends are shuffled."""
    state = position(
        "c4",
        "g5",
        cards="titan",
        actions_left=1,
        decks={"legends": ["leviathan"]},
        played={
            "beings": [[], []],
            "legends": [name for name in _legends() if name not in ("titan", "leviathan")],
            "flares": [],
        },
    )
    return do(state, "place e5").to_json()


def _legends() -> list[str]:
    decks: dict[str, Any] = position().to_json()["decks"]
    return list(decks["legends"])


def test_the_phases_are_what_they_are_called() -> None:
    phases = [data["phase"] for data in (*BASES, shuffling())]

    assert phases == ["main", "main", "turn_end", "effect", "return", "shortage", "shuffle"]


@pytest.mark.parametrize("data", BASES, ids=lambda data: data["phase"])
def test_a_position_loads_as_it_was_written(data: dict[str, Any]) -> None:
    assert TASH_KALAR.load(json.loads(json.dumps(data))).to_json() == data


def test_a_new_deck_of_legends_is_made_after_loading_too() -> None:
    state = TASH_KALAR.load(shuffling())
    text = state.sample_chance(random.Random(1))

    assert text.startswith("shuffle legends ")
    state.apply_chance(text)
    assert state.to_json()["played"]["legends"] == []
    assert len(state.to_json()["hands"][0]["legends"]) == 2


def test_the_example_of_the_page_is_what_a_seat_sees() -> None:
    found = re.search(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    example = json.loads(found[1])

    seen = TASH_KALAR.load(MAIN).observation(0)

    assert set(seen) == {*example, "progress"}
    for name in ("counters", "hand", "tasks", "deck_sizes", "played"):
        assert set(seen[name]) == set(example[name])


def test_decks_left_out_have_what_lies_nowhere_else() -> None:
    decks = TASH_KALAR.load(MAIN).to_json()["decks"]

    assert len(decks["beings"][0]) == 17
    assert "warlord" not in decks["beings"][0]
    assert len(decks["legends"]) == 11
    assert len(decks["flares"]) == 11


@pytest.mark.parametrize("seat", [0, 1, None])
def test_an_observation_loads_and_is_seen_again(seat: int | None) -> None:
    rng, state = random.Random(4), TASH_KALAR.start()
    while state.to_move is not None:
        seen = state.observation(seat)
        if seat is not None or state.to_move == CHANCE:
            loaded = TASH_KALAR.load(json.loads(json.dumps(seen)))
            assert loaded.observation(seat) == seen
        _go_on(state, rng)


def _go_on(state: State, rng: random.Random) -> None:
    if state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))
    else:
        state.apply_unchecked(state.random_action(rng))


@pytest.mark.parametrize(
    ("base", "change", "named"),
    [
        (MAIN, {"phase": "lunch"}, "phase: must be one of"),
        (MAIN, {"to_move": 1}, "to_move: must be the seat whose turn it is"),
        (MAIN, {"to_move": None}, "to_move: must be a seat"),
        (MAIN, {"to_move": -1}, "to_move: must be a seat"),
        (MAIN, {"options": {"mode": "melee"}}, "options: option 'mode'"),
        (MAIN, {"options": {"decks": ["highland"]}}, "options: option 'decks'"),
        (MAIN, {"options": {"decks": ["sylvan", "sylvan"]}}, "must differ"),
        (MAIN, {"options": {"decks": ["drawn", "sylvan"]}}, "options: decks must be drawn"),
        (MAIN, {"turn": 201}, "turn"),
        (MAIN, {"actions_left": 0}, "actions_left: must be 1 or more"),
        (END, {"actions_left": 1}, "actions_left: must be 0"),
        (MAIN, {"permissions": ["fly"]}, "permissions[0]:"),
        (MAIN, {"board": {"a1": {"owner": 0, "rank": "common"}}}, "board: 'a1' is not a square"),
        (MAIN, {"board": {"e5": {"owner": 2, "rank": "common"}}}, "board.e5.owner"),
        (MAIN, {"board": {"e5": {"owner": 0, "rank": "king"}}}, "board.e5.rank:"),
        (MAIN, {"board": {"e5": 1}}, "board.e5: must be"),
        (MAIN, {"supply": [{"common_heroic": 17, "legendary": 3}] * 2}, "supply: must be"),
        (MAIN, {"scores": [9, 0]}, "scores: must be [1, 0]"),
        (DUELS, {"scores": [9]}, "scores: must be a list of 2"),
        (MAIN, {"counters": {"destroyed": 1}}, "counters.destroyed"),
        (MAIN, {"counters": {"summoned": [1]}}, "counters.summoned"),
        (MAIN, {"hands": [MAIN["hands"][0]] * 2}, "hands"),
        (MAIN, {"hands": [{"beings": ["naiad"]}, {}]}, "hands[0].beings: 'naiad' is not a card"),
        (MAIN, {"hands": [{"flare": "titan"}, {}]}, "hands[0].flare"),
        (MAIN, {"decks": {**MAIN["decks"], "legends": ["titan"]}}, "hands: legends occur"),
        (MAIN, {"decks": {**MAIN["decks"], "beings": [[], []]}}, "the school of seat 0"),
        (MAIN, {"discards": [["warlord"], []]}, "the school of seat 0 has cards twice"),
        (MAIN, {"played": {"beings": [["warlord"]]}}, "played.beings:"),
        (MAIN, {"tasks": {"current": ["task_none"]}}, "tasks.current[0]:"),
        (MAIN, {"tasks": {"claimed": [[]]}}, "tasks.claimed:"),
        (DUELS, {"tasks": {}}, "tasks: must be None"),
        (MAIN, {"end": {"seat": 0}}, "end:"),
        (MAIN, {"end": {"seat": 0, "reason": "deck", "turns_left": 3}}, "end.turns_left"),
        (MAIN, {"card": "warlord"}, "card"),
        (MAIN, {"card": "hero"}, "card:"),
        (MAIN, {"progress": {"hats": 1}}, "progress.hats:"),
        (MAIN, {"progress": {"active": 1}}, "to_move"),
        (MAIN, {"progress": {"discarded": 1}}, "progress.discarded"),
        (MAIN, {"progress": {"effect": {}}}, "progress"),
        (EFFECT, {"progress": {}}, "progress.effect: must be an object"),
        (EFFECT, {"step": 1}, "step: must be 0"),
        (EFFECT, {"card": "sapling"}, "card"),
        (
            SHORT,
            {"progress": {"summon": {"square": "e5", "orientation": "r0"}}},
            "progress.summon",
        ),
        (SHORT, {"progress": {"summon": {}}}, "progress.summon: must have a square"),
        (MAIN, {"events": [[0, "jump"]]}, "events: [0, 'jump'] is not an event"),
        (MAIN, {"events": [[0]]}, "events: must be lists of seat and text"),
        (MAIN, {"since": [0, 1]}, "since"),
        (MAIN, {"result": {"ranks": [0, 1]}}, "result: must be None"),
        (MAIN, {"phase": "over", "to_move": None}, "phase: must not be 'over'"),
        (MAIN, {"legal": []}, "legal"),
        (MAIN, {"hats": 1}, "hats: no such field"),
    ],
)
def test_a_bad_field_is_refused_by_name(
    base: dict[str, Any], change: dict[str, Any], named: str
) -> None:
    with pytest.raises(BadPosition) as refused:
        TASH_KALAR.load(base | change)

    assert named in str(refused.value)


def test_before_the_deal_nothing_else_can_be_said() -> None:
    start = TASH_KALAR.start().to_json()

    assert TASH_KALAR.load(start).to_json() == start
    with pytest.raises(BadPosition, match="turn: must be 1 here"):
        TASH_KALAR.load(start | {"turn": 2})


NAMES = [
    "e5",
    "c4",
    "warlord",
    "titan",
    "flare_01",
    "n",
    "common",
    "task_diagonals",
    "shuffle",
    "",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 99) | st.sampled_from(NAMES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["e5", "beings", "legends", "flare", "owner", "rank", "current"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


def _check_only_bad_position(data: dict[str, Any]) -> None:
    try:
        state = TASH_KALAR.load(data)
    except BadPosition:
        return
    assert TASH_KALAR.load(state.to_json()).to_json() == state.to_json()
    state.playout(random.Random(1))


@given(field=st.sampled_from(sorted(EFFECT)), value=JSON)
def test_whatever_a_field_holds_only_bad_position_is_raised(field: str, value: object) -> None:
    for base in BASES:
        _check_only_bad_position(base | {field: value})


@given(field=st.sampled_from(sorted(TASH_KALAR.load(MAIN).observation(0))), value=JSON)
def test_whatever_an_observation_holds_only_bad_position_is_raised(
    field: str, value: object
) -> None:
    for base in (MAIN, EFFECT):
        seen = TASH_KALAR.load(base).observation(0)
        _check_only_bad_position(seen | {field: value})


@given(
    part=st.sampled_from(["effect", "progress", "tasks", "decks", "played", "counters"]),
    data=st.data(),
    value=JSON,
)
def test_whatever_a_part_holds_only_bad_position_is_raised(
    part: str, data: st.DataObject, value: object
) -> None:
    base = json.loads(json.dumps(EFFECT))
    fields = base["progress"]["effect"] if part == "effect" else base[part]
    fields[data.draw(st.sampled_from(sorted(fields)))] = value

    _check_only_bad_position(base)


@pytest.mark.parametrize(
    "text",
    ["", "place a1", "summon cannon e5", "summon warlord e5 r0", "move e5 e7", "discard titan",
     "claim diagonals", "dir north", "opt", "place e5 king", "take flare_01"],
)  # fmt: skip
def test_what_is_no_action_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(BadAction, match="write 'setup") as refused:
        TASH_KALAR.start().parse(text)

    assert refused.value.text == text


def test_numbers_and_texts_of_all_actions_are_one_to_one_and_sorted() -> None:
    state = TASH_KALAR.start()
    every = range(TASH_KALAR.info.actions)
    texts = [state.text(action) for action in every]

    assert texts == sorted(texts)
    assert [state.parse(text) for text in texts] == list(every)
    with pytest.raises(IndexError, match=f"action {len(texts)} does not exist"):
        state.text(len(texts))
