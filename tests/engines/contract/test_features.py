"""Numbers for learners come straight from the positions, and are those of the observations."""

from array import array
from importlib import import_module
from itertools import islice

import pytest

from pentathlon_engines import CHANCE, GAMES
from tests.engines.contract.checks import positions
from tests.engines.contract.setups import Setup, setups

SETUPS = [setup for game in GAMES.values() for setup in setups(game)]


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_features_are_those_of_the_observation(setup: Setup) -> None:
    promised = import_module(f"tests.engines.{setup.game.info.key}.seen").features
    for seed in range(3):
        for state in islice(positions(setup, seed), seed, None, 3):
            if state.to_move == CHANCE:
                continue
            for seat in range(state.seats):
                view = state.observation(seat)
                numbers = array("f", promised(view, state.seats)).tolist()

                assert state.features(seat) == numbers
                # A bot that loads what it sees finds the same.
                assert state.game.load(view).features(seat) == numbers
