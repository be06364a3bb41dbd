"""The prospects of Way of the Dragon: within a turn they are those of the best that dice allow."""

import random
from random import Random

import pytest

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.lookahead import after
from pentathlon_engines.way_of_the_dragon import WayOfTheDragonState
from pentathlon_engines.way_of_the_dragon.board import KEEPING, MOVING
from pentathlon_engines.way_of_the_dragon.dice import NUMBERS, rolls
from pentathlon_engines.way_of_the_dragon.policies import POLICIES
from pentathlon_engines.way_of_the_dragon.prospects import shares
from tests.engines.way_of_the_dragon.positions import DRAGON, do, pieces, position


def in_turn(seed: int, *, dice: str, rolls_left: int = 0) -> WayOfTheDragonState:
    """Return a position of five seats somewhere in a match, in which these dice were rolled."""
    rng = Random(seed)
    state = DRAGON.start(5)
    for _ in range(300):
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
        else:
            state.apply(state.random_action(rng))
    assert isinstance(state, WayOfTheDragonState)
    assert state.outcome is None
    state.phase = KEEPING if rolls_left else MOVING
    state.to_move, state.dice, state.rolls_left = state.turn_of, NUMBERS[dice], rolls_left
    return state


def expected(state: WayOfTheDragonState, action: int) -> float:
    """Return what the seat to move may expect after an action."""
    position = after(state, action)
    assert isinstance(position, WayOfTheDragonState)
    return shares(position)[state.turn_of]


@pytest.mark.parametrize("dice", ["wwfmd", "wfmeo", "wdddd", "odddd", "ddddd", "wfddd"])
@pytest.mark.parametrize("seed", range(4))
def test_dice_are_worth_what_the_best_action_is(dice: str, seed: int) -> None:
    state = in_turn(seed, dice=dice)

    best = max(expected(state, action) for action in state.legal_actions())

    assert shares(state)[state.turn_of] == pytest.approx(best)


def test_immune_pieces_are_worth_no_swap() -> None:
    seats = (pieces(water=1), pieces(water=10), pieces(water=9))  # black is on its own path
    found = {}
    for immunity in (False, True):
        options = {"immunity": immunity}
        state = position(*seats, dice="wwddd", phase="keep", rolls_left=1, options=options)
        found[immunity] = shares(state)[0]

        best = max(expected(state, action) for action in state.legal_actions())

        assert found[immunity] == pytest.approx(best)
    assert found[False] > found[True]


@pytest.mark.parametrize("rolls_left", [1, 2])
def test_dice_that_may_be_rolled_again_are_worth_what_the_best_choice_is(rolls_left: int) -> None:
    state = in_turn(1, dice="wfddd", rolls_left=rolls_left)

    best = max(expected(state, action) for action in state.legal_actions())

    assert shares(state)[state.turn_of] == pytest.approx(best)


def test_roll_is_worth_the_mean_of_all_dice() -> None:
    state = do(in_turn(2, dice="wfddd", rolls_left=1), "keep ddd")

    mean, total = 0.0, 0
    for dice, ways in rolls(NUMBERS["ddd"]):
        rolled = state.copy()
        rolled.phase, rolled.to_move, rolled.dice = MOVING, rolled.turn_of, dice
        mean += ways * shares(rolled)[rolled.turn_of]
        total += ways

    assert shares(state)[state.turn_of] == pytest.approx(mean / total)


def test_shares_of_all_seats_are_half_of_the_points() -> None:
    for seed in range(4):
        found = shares(in_turn(seed, dice="wdddd"))

        assert sum(found) == pytest.approx(5 / 2)
        assert all(0 <= share <= 1 for share in found)


def test_dragons_are_collected_for_a_swap_that_is_worth_more_than_any_move() -> None:
    ahead = pieces(water=10, fire=10, metal=10, earth=10, wood=5)
    state = position(
        pieces(water=6, fire=6, metal=6, earth=6, wood=1),
        ahead,
        *[pieces()] * 3,
        dice="wfddd",
        phase="keep",
        rolls_left=2,
    )

    best = max(state.legal_actions(), key=lambda action: expected(state, action))

    assert state.text(best) == "keep ddd"


def test_swap_that_lets_another_seat_end_the_match_is_worth_its_outcome() -> None:
    nearly = pieces(water=7, fire=6, metal=6, earth=6, wood=5)
    state = position(
        pieces(water=9, fire=9, metal=9, wood=6), nearly, pieces(), dice="odddd", seat=0
    )
    swap = state.parse("swap wood 5 6")

    ended = do(state.copy(), "swap wood 5 6")

    assert ended.outcome is not None
    assert expected(state, swap) == 1.0


def chosen(state: WayOfTheDragonState) -> str:
    """Return what the greedy player does."""
    action = POLICIES["greedy"](state, state.legal_actions(), random.Random(1))
    return state.text(action)


@pytest.mark.parametrize(
    ("dice", "keeps"),
    [
        ("wwmmo", "keep mm"),
        ("wwwwm", "keep wwww"),
        ("ddddd", "keep -"),
        ("wwwww", "stop"),
        ("eeeee", "keep -"),
    ],
)
def test_it_keeps_the_element_that_gets_a_piece_furthest(dice: str, keeps: str) -> None:
    mine = pieces(metal=2, earth=6)
    state = position(mine, pieces(), dice=dice, phase="keep", rolls_left=2)

    assert chosen(state) == keeps


def test_it_needs_no_fourth_roll() -> None:
    state = position(*[pieces()] * 3, dice="wwmmo", phase="keep", seat=2, options={"powers": True})

    assert chosen(state) == "stop"


@pytest.mark.parametrize(
    ("dice", "moves"), [("wwmmo", "move metal"), ("wwwwm", "move water"), ("fffff", "move fire")]
)
def test_it_moves_as_far_as_possible(dice: str, moves: str) -> None:
    assert chosen(position(pieces(metal=1), pieces(), dice=dice)) == moves


def test_a_swap_that_helps_is_taken_and_one_that_does_not_is_left() -> None:
    behind = position(pieces(water=2), pieces(water=8), dice="wdddd")
    ahead = position(pieces(water=5), pieces(water=3), dice="wdddd")

    assert chosen(behind) == "swap water 2 8"
    assert chosen(ahead) == "move water"


def test_it_takes_every_extra_turn() -> None:
    perfect = do(position(pieces(), pieces(), dice="fffff"), "move fire")
    red = position(pieces(), pieces(), dice="ffmdd", seat=1, options={"powers": True})

    assert chosen(perfect) == "again"
    assert chosen(do(red, "move fire")) == "rebirth"


def test_it_plays_nothing_else() -> None:
    with pytest.raises(TypeError, match="a position of Way of the Dragon is needed"):
        POLICIES["greedy"](GAMES["tuned"].start(), [0], random.Random(1))
