"""Many matches at once: the arrays are what the states say, and the rules hold."""

import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from pentathlon_engines import GAMES, BadAction, IllegalAction
from pentathlon_engines.rl import VectorEnv
from pentathlon_engines.rl.vector import rewards
from tests.engines.card_game import CardGame
from tests.engines.contract.setups import Setup, setups

N = 5
SETUPS = [setup for game in GAMES.values() for setup in setups(game)]


def choose(env: VectorEnv, rng: np.random.Generator) -> list[int]:
    """Return a legal action for each match, and any number where it is over."""
    return [int(rng.choice(legal)) if legal else 0 for legal in env.legal]


def make(setup: Setup, n: int = N, **more: Any) -> VectorEnv:
    return VectorEnv(setup.game, n, seats=setup.seats, options=setup.options, seed=4, **more)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_arrays_are_what_the_seats_to_move_see(setup: Setup) -> None:
    env, rng = make(setup), np.random.default_rng(4)
    for ply in range(60):
        if ply % 4 == 0:
            for place, state in enumerate(env.states):
                seat = state.to_move
                assert seat is not None
                assert env.to_move[place] == seat
                assert np.flatnonzero(env.masks[place]).tolist() == sorted(env.legal[place])
                numbers = np.array(state.features(seat), np.float32)
                assert np.array_equal(env.features[place], numbers)
                for other in range(setup.seats):
                    numbers = np.array(state.features(other), np.float32)
                    assert np.array_equal(env.observe(place, other)[0], numbers)
        env.step(choose(env, rng))


def test_a_match_that_ends_gives_rewards_and_makes_room_for_the_next() -> None:
    env, rng = VectorEnv("tuned", N, seed=1), np.random.default_rng(1)
    endings = 0
    for _ in range(60):
        before = list(env.states)
        shares, ended = env.step(choose(env, rng))
        for place, state in enumerate(before):
            if ended[place]:
                assert state.outcome is not None
                assert shares[place].tolist() == rewards(state.outcome.ranks)
                assert env.states[place].outcome is None
            else:
                assert not shares[place].any()
        endings += ended.sum()

    assert endings > N


@pytest.mark.parametrize("key", GAMES)
def test_what_follows_each_action_is_foreseen(key: str) -> None:
    env, rng = VectorEnv(key, 2, seed=5), np.random.default_rng(5)
    for _ in range(12):
        rows = iter(env.foresee())
        for state, legal in zip(env.states, env.legal, strict=True):
            seat = state.to_move
            assert seat is not None
            for action in legal:
                after = state.copy()
                after.apply(action)
                assert np.array_equal(next(rows), np.array(after.features(seat), np.float32))
        assert next(rows, None) is None
        env.step(choose(env, rng))


def test_without_restarts_each_match_is_played_once() -> None:
    env, rng = VectorEnv("azure", N, seed=2, restarts=False), np.random.default_rng(2)
    total = np.zeros((N, 2))
    while env.masks.any():
        shares, _ = env.step(choose(env, rng))
        total += shares

    assert (env.to_move == -1).all()
    assert not env.features.any()
    assert [tuple(row) for row in total] == [
        tuple(rewards(state.outcome.ranks)) for state in env.states if state.outcome
    ]
    env.reset()
    assert (env.to_move >= 0).all()


def test_equal_seeds_give_equal_matches() -> None:
    played = []
    for seed in (7, 7, 8):
        env, rng = VectorEnv("way_of_the_dragon", N, seed=3), np.random.default_rng(3)
        env.reset(seed=seed)
        for _ in range(10):
            env.step(choose(env, rng))
        played.append(env.features.copy())

    assert [np.array_equal(one, other) for one, other in pairwise(played)] == [True, False]


def test_an_illegal_action_is_refused_before_anything_is_done() -> None:
    env = VectorEnv("tuned", 2, seed=1)
    before = [state.to_json() for state in env.states]

    for bad in (-1, 100, 270):
        with pytest.raises(IllegalAction):
            env.step(np.array([env.legal[0][0], bad]))
    with pytest.raises(BadAction, match="'1 actions': there are 2 matches"):
        env.step([0])

    assert [state.to_json() for state in env.states] == before


def test_a_game_without_an_encoder_is_hashed() -> None:
    env = VectorEnv(CardGame(), 2, seats=3)

    assert env.features.shape == (2, 1024)
    assert env.features.any()


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.startswith("pentathlon_engines.rl"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)

    with pytest.raises(ModuleNotFoundError, match=r'pettingzoo.*with its extra "rl"'):
        __import__("pentathlon_engines.rl")
