"""The greedy player of Way of the Dragon does what its rules page says."""

import random

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.way_of_the_dragon import WayOfTheDragonState
from pentathlon_engines.way_of_the_dragon.policies import POLICIES
from tests.engines.way_of_the_dragon.positions import do, pieces, position


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
