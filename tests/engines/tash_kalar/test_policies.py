"""Simple players of Tash-Kalar: what they like, and that they beat those who like nothing."""

import random
from typing import Any

import pytest

from pentathlon_engines import CHANCE, State
from pentathlon_engines.tash_kalar import GAME
from pentathlon_engines.tash_kalar.evaluation import worth
from pentathlon_engines.tash_kalar.policies import play_greedy, play_summoner
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tools.simulate import POLICIES, play, policies_of
from tests.deep import mostly_deep
from tests.engines.tash_kalar.oracle.cards import EXPANSIONS

MODES = ("high_form", "deathmatch_duel")
MATCHES = 4
"""The matches of each mode and school; `simulate tash_kalar` (`pentathlon_engines.tools`) plays
many more."""


def pieces(owner: int, rank: str, *squares: str) -> dict[str, Any]:
    return {name: {"owner": owner, "rank": rank} for name in squares}


def position(
    board: dict[str, Any], *beings: str, mode: str = "deathmatch_duel", **fields: Any
) -> State:
    """Return a position in which seat 0 of the Highland has these beings in hand."""
    hands = [{"beings": sorted(beings), "legends": [], "flare": None}]
    hands.append({"beings": [], "legends": [], "flare": None})
    options = {"mode": mode, "decks": ["highland", "sylvan"]}
    frame = {"options": options, "to_move": 0, "phase": "main", "board": board, "hands": hands}
    return GAME.load({**frame, **fields})


def chosen(state: State) -> str:
    return state.text(play_greedy(state, state.legal_actions(), random.Random(1)))


def judged(state: State, seat: int = 0) -> float:
    assert isinstance(state, TashKalarPosition)
    return worth(state, seat)


def test_greedy_summons_rather_than_places() -> None:
    state = position(pieces(0, "common", "d4", "e4", "e5"), "hungry_bear")

    assert chosen(state) == "summon hungry_bear d5"


def test_greedy_summons_onto_the_best_piece_of_the_enemy() -> None:
    mine = pieces(0, "common", "d4", "f4")  # the eagle comes between and above them
    state = position(
        {**mine, **pieces(1, "common", "e5"), **pieces(1, "common", "a4")}, "wild_eagle"
    )

    assert chosen(state) == "summon wild_eagle e5"


def test_greedy_places_what_a_being_in_hand_lacks() -> None:
    state = position(pieces(0, "common", "d4"), "wild_eagle")
    state.apply(state.parse(chosen(state)))

    assert any(state.text(action).startswith("summon") for action in state.legal_actions())


def test_greedy_claims_the_task_with_most_points() -> None:
    board = pieces(0, "common", "e5", "d5", "f5", "e4", "e6") | pieces(0, "heroic", "d4", "f4")
    tasks = {
        "current": ["task_center_cross", "task_central_dominance", "task_isolation"],
        "next": "task_side_chain",
        "claimed": [[], []],
        "under": [],
    }
    state = position(board, mode="high_form", phase="turn_end", actions_left=0, tasks=tasks)

    assert chosen(state) == "claim task_center_cross"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (pieces(0, "heroic", "e5"), pieces(0, "common", "e5")),
        (pieces(0, "common", "e5"), pieces(0, "common", "a5")),
        (pieces(1, "common", "a4"), pieces(1, "heroic", "a4")),
        ({}, pieces(1, "common", "a4")),
    ],
)
def test_a_better_board_looks_better(better: dict[str, Any], worse: dict[str, Any]) -> None:
    assert judged(position(better)) > judged(position(worse))


@pytest.mark.parametrize("seat", [0, 1])
def test_a_gateway_looks_better_to_its_owner_only(seat: int) -> None:
    schools = ["nethervoid", "highland"] if seat == 0 else ["highland", "nethervoid"]
    options = {"mode": "deathmatch_duel", "decks": schools}
    board = pieces(seat, "common", "e5")

    gateway, none = (position(board, options=options, gateway=square) for square in ("e5", None))

    assert judged(gateway, seat) > judged(none, seat)
    assert judged(gateway, 1 - seat) < judged(none, 1 - seat)


FROST = {"mode": "high_form", "decks": ["everfrost", "sylvan"]}


@pytest.mark.parametrize("seat", [0, 1])
def test_a_frozen_effect_looks_better_to_its_owner_only(seat: int) -> None:
    cards = ("ice_wyvern", None)
    frozen, none = (position({}, options=FROST, frozen=card) for card in cards)

    assert (judged(frozen, seat) > judged(none, seat)) == (seat == 0)
    assert judged(frozen, seat) != judged(none, seat)


@pytest.mark.parametrize("seat", [0, 1])
def test_an_action_less_looks_worse_to_who_has_it(seat: int) -> None:
    states = [position({}, options=FROST, progress={"slowed": slow}) for slow in (1, None)]
    slowed, free = (judged(state, seat) for state in states)

    assert (slowed < free) == (seat == 1)


@pytest.mark.parametrize(
    ("card", "own", "enemy", "chosen_at_the_end"),
    [
        ("crystal_grower", ["e5"], [], "thaw"),
        ("crystal_grower", ["e5", "d5"], [], "thaw"),
        ("frostweave_illusionist", ["e5"], ["a4"], "thaw"),
        ("frostweave_illusionist", ["e5"], [], "end"),
        ("winter_whisperer", ["e5"], [], "end"),
    ],
)
def test_greedy_thaws_what_brings_something(
    card: str, own: list[str], enemy: list[str], chosen_at_the_end: str
) -> None:
    board = pieces(0, "common", *own) | pieces(1, "common", *enemy)
    state = position(board, options=FROST, frozen=card, phase="turn_end", actions_left=0)

    assert chosen(state) == chosen_at_the_end


def test_greedy_thaws_for_a_summoning_that_needs_an_enemy_piece() -> None:
    board = pieces(0, "common", "d4") | pieces(1, "common", "e4")
    needed = position(board, "crystal_grower", options=FROST, frozen="frostweave_summoner")
    ready = position(
        board | pieces(0, "common", "c4"),
        "crystal_grower",
        options=FROST,
        frozen="frostweave_summoner",
    )

    with_thaw, with_it = (judged(state) for state in (needed, ready))
    for state in (needed, ready):
        state.apply(state.parse("thaw"))

    assert judged(needed) - with_thaw > judged(ready) - with_it


def test_a_being_that_can_be_summoned_looks_better_than_one_that_lacks_a_piece() -> None:
    together = pieces(0, "common", "d4", "f4", "a4")
    apart = pieces(0, "common", "d4", "i3", "a4")

    ready, nearly = (judged(position(board, "wild_eagle")) for board in (together, apart))

    assert ready > nearly > judged(position(apart, "warlord"))


def test_what_this_turn_destroyed_counts_before_it_is_scored() -> None:
    counters = {"destroyed": {"common": 0, "heroic": 1, "legendary": 0}, "summoned": []}

    assert judged(position({}, counters=counters)) > judged(position({}))


def test_a_seat_judges_by_what_it_knows() -> None:
    rng = random.Random(3)
    state = GAME.start(None, {"mode": "high_form"})
    for _ in range(60):
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        seat = state.to_move or 0
        assert judged(GAME.load(state.observation(seat)), seat) == judged(state, seat)
        state.apply(play_summoner(state, state.legal_actions(), rng))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("school", mostly_deep(["drawn", *EXPANSIONS], keep=["drawn"]))
def test_greedy_beats_random(mode: str, school: str) -> None:
    won = 0
    for seed in range(MATCHES):
        names = ("greedy", "random") if seed % 2 else ("random", "greedy")
        greedy = names.index("greedy")
        decks = [school, "drawn"] if greedy == 0 else ["drawn", school]
        state = GAME.start(None, {"mode": mode, "decks": decks})
        ranks = play(state, names, random.Random(seed)).outcome.ranks
        won += ranks[greedy] < ranks[1 - greedy]

    assert won >= 0.9 * MATCHES


def test_tash_kalar_has_players_of_its_own() -> None:
    assert set(policies_of(GAME)) == {*POLICIES, "greedy", "summoner"}


WOVEN = {"mode": "high_form", "decks": ["etherweave", "sylvan"]}


@pytest.mark.parametrize(
    ("card", "own", "enemy", "chosen_at_the_end"),
    [
        ("lesser_shadow_twin", ["e5"], [], "warp lesser_shadow_twin"),
        ("lesser_shadow_twin", ["e5", "d5"], [], "warp lesser_shadow_twin"),
        ("lesser_shadow_twin", [], ["a4"], "end"),
        ("polarity_queen", ["e5"], ["a4"], "warp polarity_queen"),
        ("merchant_of_time", ["e4"], ["a4", "a3"], "warp merchant_of_time"),
        ("paradox_worm", ["e5"], ["a4", "a3"], "end"),
    ],
)
def test_greedy_warps_what_brings_something(
    card: str, own: list[str], enemy: list[str], chosen_at_the_end: str
) -> None:
    board = pieces(0, "common", *own) | pieces(1, "common", *enemy)
    more: dict[str, Any] = {"options": WOVEN, "turn": 3, "phase": "turn_end", "actions_left": 0}
    state = position(board, card, **more)

    assert chosen(state) == chosen_at_the_end


@pytest.mark.parametrize("seat", [0, 1])
def test_a_pending_being_costs_little_until_the_final_turns(seat: int) -> None:
    end = {"seat": 1, "reason": "deck", "turns_left": 1}
    lost = []
    ends: tuple[dict[str, Any], ...] = ({}, {"end": end})
    for more in ends:
        pending, free = (
            judged(position({}, "paradox_worm", options=WOVEN, pending=card, **more), seat)
            for card in ("paradox_worm", None)
        )
        lost.append(free - pending)

    assert (0 < lost[0] < 1 < lost[1]) if seat == 0 else (0 > lost[0] > -1 > lost[1])
