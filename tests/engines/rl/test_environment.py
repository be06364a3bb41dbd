"""The learning environments keep PettingZoo's promises and see no more than a seat may."""

import random
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from pentathlon_engines import CHANCE, GAMES, BadAction, BadOption, BadSeats, IllegalAction
from pentathlon_engines.rl import PentathlonEnv
from pentathlon_engines.rl.vector import rewards
from tests.engines.card_game import CardGame
from tests.engines.contract.checks import positions
from tests.engines.contract.setups import Setup, setups

SEATS = [
    (key, seats)
    for key, game in GAMES.items()
    for seats in range(game.info.seats[0], game.info.seats[1] + 1)
]
SETUPS = [setup for game in GAMES.values() for setup in setups(game)]
for_all_seats = pytest.mark.parametrize(("key", "seats"), SEATS)


def play_to_the_end(env: PentathlonEnv, seed: int) -> dict[str, float]:
    """Play at random; return the reward of each agent."""
    env.reset(seed=seed)
    rng, total = random.Random(seed), dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        seen, reward, terminated, _, _ = env.last()
        total[agent] += reward
        choices = np.flatnonzero(seen["action_mask"])
        env.step(None if terminated else int(rng.choice(choices)))
    return total


# With masks, observations are dictionaries, and after the end no action is legal.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros")
@for_all_seats
def test_every_game_passes_the_api_test(key: str, seats: int) -> None:
    api_test(PentathlonEnv(key, seats=seats, render_mode="ansi"), num_cycles=300)


@for_all_seats
def test_every_game_passes_the_seed_test(key: str, seats: int) -> None:
    seed_test(lambda: PentathlonEnv(key, seats=seats), num_cycles=40)


@for_all_seats
def test_a_match_ends_with_the_rewards_of_its_ranks(key: str, seats: int) -> None:
    env = PentathlonEnv(key, seats=seats)

    total = play_to_the_end(env, seed=1)

    outcome = env.position.outcome
    assert outcome is not None
    assert list(total.values()) == rewards(outcome.ranks)
    assert sum(total.values()) == pytest.approx(0)
    assert env.agents == []


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_numbers_have_a_fixed_size_and_range(setup: Setup) -> None:
    env = PentathlonEnv(setup.game, seats=setup.seats, options=setup.options)
    (size,) = env.observe("seat_0")["observation"].shape
    for ply, state in enumerate(positions(setup, seed=5)):
        if state.to_move == CHANCE or ply % 3:
            continue
        for seat in range(setup.seats):
            numbers = state.features(seat)
            assert len(numbers) == size
            assert all(0 <= number <= 1 for number in numbers)


@pytest.mark.parametrize("setup", SETUPS, ids=str)
def test_numbers_do_not_change_with_what_is_hidden(setup: Setup) -> None:
    rng = random.Random(9)
    for ply, state in enumerate(positions(setup, seed=9)):
        if state.to_move == CHANCE or ply % 5:
            continue
        for seat in range(setup.seats):
            twin = state.determinize(seat, rng)
            numbers = state.features(seat)
            assert twin.features(seat) == numbers


@for_all_seats
def test_numbers_tell_positions_apart(key: str, seats: int) -> None:
    told: dict[tuple[float, ...], list[str]] = {}
    for state in positions(Setup(GAMES[key], seats, {}), seed=2):
        if state.to_move not in (None, CHANCE):
            assert state.to_move is not None
            view = state.observation(state.to_move)
            legal = told.setdefault(tuple(state.features(state.to_move)), view["legal"])
            assert legal == view["legal"], "what is legal must follow from the numbers"
    assert len(told) > 5


def test_the_mask_is_what_is_legal() -> None:
    env = PentathlonEnv("azure")
    env.reset(seed=3)

    mask = env.observe(env.agent_selection)["action_mask"]

    assert list(np.flatnonzero(mask)) == env.position.legal_actions()
    (other,) = set(env.agents) - {env.agent_selection}
    assert not env.observe(other)["action_mask"].any()


def test_an_illegal_action_is_refused_and_changes_nothing() -> None:
    env = PentathlonEnv("tuned")
    env.reset()
    before = env.position.to_json()

    with pytest.raises(IllegalAction):
        env.step(100)
    with pytest.raises(BadAction, match="seat_0 has to act"):
        env.step(None)

    assert env.position.to_json() == before


def test_without_a_seed_matches_differ() -> None:
    env = PentathlonEnv("azure")
    env.reset(seed=1)
    first = env.position.to_json()
    env.reset()
    second = env.position.to_json()
    env.reset(seed=1)

    assert first != second
    assert env.position.to_json() == first


def test_bad_setups_are_refused() -> None:
    with pytest.raises(BadSeats):
        PentathlonEnv("tuned", seats=3)
    with pytest.raises(BadOption):
        PentathlonEnv("azure", options={"gifted": "no such gift"})


@pytest.mark.parametrize(
    ("mode", "start"), [("svg", "<svg"), ("ansi", "   "), (None, None)], ids=str
)
def test_render_draws_in_the_chosen_mode(mode: str | None, start: str | None) -> None:
    env = PentathlonEnv("tuned", render_mode=mode)
    env.reset()

    drawing = env.render()

    assert drawing is None if start is None else drawing is not None and start in drawing
    env.close()


@pytest.mark.parametrize("mode", ["human", "rgb_array"])
def test_a_mode_that_draws_nothing_is_refused(mode: str) -> None:
    with pytest.raises(BadOption, match="render_mode must be 'ansi' or 'svg', or None, not"):
        PentathlonEnv("tuned", render_mode=mode)


def test_a_game_without_an_encoder_is_hashed() -> None:
    env = PentathlonEnv(CardGame(), seats=3)

    play_to_the_end(env, seed=4)

    seen: list[Any] = [env.observe(agent)["observation"] for agent in env.possible_agents]
    assert all(numbers.shape == (1024,) and numbers.any() for numbers in seen)
    assert env.observation_space("seat_0").contains(env.observe("seat_0"))


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [((0, 1), [1, -1]), ((0, 0), [0, 0]), ((2, 0, 1), [-1, 1, 0]), ((0, 0, 2), [0.5, 0.5, -1])],
)
def test_rewards_follow_the_ranks(ranks: tuple[int, ...], expected: list[float]) -> None:
    assert rewards(ranks) == expected
