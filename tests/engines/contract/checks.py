"""What every game promises, as checks that a test calls with a setup and a seed.

They are functions, not tests, so that they can also be turned on games that break a promise.
"""

import copy
import json
import pickle
import random
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from math import sqrt
from typing import Any

import pytest

from pentathlon_engines import (
    CHANCE,
    BadAction,
    BadChance,
    BadOption,
    BadPosition,
    BadSeats,
    IllegalAction,
    NotToMove,
    State,
)
from tests.engines.contract.setups import Setup

_ALL_OF_A_MATCH = 40
_THEN_EVERY = 37
"""How far apart later positions are: not a divisor of anything that recurs by turns."""

FRAME = {"game", "options", "to_move", "phase", "result"}


def step(state: State, rng: random.Random) -> str:
    """Do one event at random and return its text."""
    if state.to_move == CHANCE:
        text = state.sample_chance(rng)
        state.apply_chance(text)
        return text
    actions = state.legal_actions()
    action = actions[int(rng.random() * len(actions))]
    state.apply(action)
    return state.text(action)


def positions(setup: Setup, seed: int) -> Iterator[State]:
    """Play at random and give the positions, the same object each time.

    Of a long match only some of the later ones are given, and the last one.
    """
    state, rng = setup.start(), random.Random(seed)
    yield state
    for ply in count(1):
        step(state, rng)
        if state.to_move is None or ply <= _ALL_OF_A_MATCH or ply % _THEN_EVERY == 0:
            yield state
        if state.to_move is None:
            return


def decisions(setup: Setup, seed: int) -> Iterator[State]:
    """Give the positions in which a seat decides."""
    return (state for state in positions(setup, seed) if state.to_move not in (None, CHANCE))


def views(state: State) -> list[dict[str, Any]]:
    """Return what a spectator and every seat see."""
    return [state.observation(seat) for seat in (None, *range(state.seats))]


def check_the_list_is_what_is_legal(setup: Setup, seed: int) -> None:
    for state in decisions(setup, seed):
        actions = state.legal_actions()

        assert actions, state
        assert len(set(actions)) == len(actions)
        legal, candidates = set(actions), range(-2, max(actions) + 30)
        assert {action for action in candidates if state.is_legal(action)} == legal
        actions.clear()  # the list is the caller's own
        assert set(state.legal_actions()) == legal


def check_texts_and_actions_are_one_to_one(setup: Setup, seed: int) -> None:
    texts: dict[int, str] = {}
    for state in decisions(setup, seed):
        for action in state.legal_actions():
            text = state.text(action)
            assert state.parse(text) == action
            assert texts.setdefault(action, text) == text
    assert len(set(texts.values())) == len(texts)


def check_all_actions_are_in_the_fixed_range(setup: Setup, seed: int) -> None:
    every = range(setup.game.info.actions)
    for state in decisions(setup, seed):
        assert all(action in every for action in state.legal_actions())
        for outside in (every.stop, every.stop + 7, -1):
            assert not state.is_legal(outside)


def check_json_round_trips(setup: Setup, seed: int) -> None:
    rng = random.Random(seed)
    for state in positions(setup, seed):
        data = json.loads(json.dumps(state.to_json()))
        loaded = setup.game.load(data)

        assert loaded.to_json() == state.to_json()
        assert views(loaded) == views(state)
        assert loaded.legal_actions() == state.legal_actions()
        same = str(rng.random())
        assert _rest(loaded, same) == _rest(state.copy(), same)


def _rest(state: State, seed: str, events: int = 12) -> list[Any]:
    """Play on for some events and tell what happened."""
    rng = random.Random(seed)
    told: list[Any] = []
    while state.to_move is not None and len(told) < events:
        told.append(step(state, rng))
    return [*told, state.to_json()]


def check_copies_are_independent(setup: Setup, seed: int) -> None:
    for state in positions(setup, seed):
        before = json.dumps(state.to_json())
        twin = state.copy()
        _rest(twin, "on")
        assert json.dumps(state.to_json()) == before

        twin, other = state.copy(), state.copy()
        _rest(other, "on")
        assert json.dumps(twin.to_json()) == before


def check_python_copies_are_independent(setup: Setup, seed: int) -> None:
    for ply, state in enumerate(positions(setup, seed)):
        if ply % 3 and state.to_move is not None:
            continue
        before = json.dumps(state.to_json())
        for make in (copy.copy, copy.deepcopy):
            twin, other = make(state), make(state)
            assert type(twin) is type(state)
            assert json.dumps(twin.to_json()) == before
            told = _rest(other, "on")
            assert json.dumps(state.to_json()) == json.dumps(twin.to_json()) == before
            assert _rest(twin, "on") == told == _rest(state.copy(), "on")


def check_positions_compare_hash_and_pickle(setup: Setup, seed: int) -> None:
    before: State | None = None
    for state in islice(positions(setup, seed), seed % 3, None, 3):
        twin = pickle.loads(pickle.dumps(state))

        assert twin is not state
        assert twin == state
        assert len({twin, state, state.copy()}) == 1
        assert state != before
        assert state != state.to_json()
        before = twin


def check_texts_replay_the_match(setup: Setup, seed: int) -> None:
    state, rng = setup.start(), random.Random(seed)
    record = []
    while state.to_move is not None:
        record.append((state.to_move, step(state, rng)))

    again = setup.start()
    for seat, text in record:
        assert again.to_move == seat
        if seat == CHANCE:
            again.apply_chance(text)
        else:
            again.apply(again.parse(text))

    assert again.to_json() == state.to_json()
    assert again.outcome == state.outcome


def check_hidden_parts_stay_hidden(setup: Setup, seed: int) -> None:
    """Redraw what a seat cannot see: it must not notice, nor may a spectator."""
    rng, redrawn = random.Random(seed), False
    for state in positions(setup, seed):
        for seat in range(state.seats):
            twin = state.determinize(seat, rng)
            assert twin.to_move == state.to_move
            assert twin.observation(seat) == state.observation(seat), f"seat {seat} sees too much"
            assert twin.observation(None) == state.observation(None), "spectators see too much"
            redrawn = redrawn or twin.to_json() != state.to_json()
    assert redrawn == setup.game.info.hidden, "determinize must redraw what is hidden, no more"


def check_an_observation_is_enough_to_search(setup: Setup, seed: int) -> None:
    """Load what a seat sees when it decides: it must play on from there, hidden parts redrawn."""
    rng = random.Random(seed)
    for state in decisions(setup, seed):
        seat = state.to_move
        assert seat is not None
        seen = state.observation(seat)
        loaded = setup.game.load(json.loads(json.dumps(seen)))

        assert loaded.observation(seat) == seen
        assert loaded.legal_actions() == state.legal_actions()
        twin = loaded.determinize(seat, rng)
        assert twin.observation(seat) == seen
        _rest(twin, str(seed))


def check_events_tell_no_more_than_observations(setup: Setup, seed: int) -> None:
    """Two events after which a seat sees the same must be told to it in the same words.

    Not if they lead to one position: then there is nothing that it could learn from the words.
    """
    rng = random.Random(seed)
    for state in positions(setup, seed):
        if state.to_move is None:
            continue
        events: dict[str, State] = {}
        for _ in range(8):
            after = state.copy()
            events[step(after, rng)] = after
        for seat in (None, *range(state.seats)):
            words = {text: state.event_for(seat, text) for text in events}
            if len(set(words.values())) == 1:
                continue
            told: dict[str, tuple[State, str]] = {}
            for text, after in events.items():
                seen = json.dumps(after.observation(seat))
                other, told_then = told.setdefault(seen, (after, words[text]))
                same = words[text] == told_then or after.to_json() == other.to_json()
                assert same, f"seat {seat} is told too much"


def check_it_ends_in_time(setup: Setup, seed: int) -> None:
    state, rng = setup.start(), random.Random(seed)
    events = 0
    while state.to_move is not None:
        step(state, rng)
        events += 1

    assert events <= setup.game.info.longest


def check_what_is_illegal_changes_nothing(setup: Setup, seed: int) -> None:
    known: set[int] = set()
    for state in decisions(setup, seed):
        legal = set(state.legal_actions())
        position = state.to_json()
        before, told = json.dumps(position), str(position)
        illegal = sorted(known - legal)
        for action in illegal[:: len(illegal) // 8 + 1]:
            with pytest.raises(IllegalAction) as refused:
                state.apply(action)
            assert refused.value.seat == state.to_move
            assert refused.value.text == state.text(action)
            assert refused.value.position == told
        with pytest.raises(IllegalAction, match="action 1000000"):
            state.apply(1_000_000)
        for text in ("", "no such action", f" {state.text(min(legal))}"):
            with pytest.raises(BadAction):
                state.parse(text)
        with pytest.raises(NotToMove):
            state.apply_chance("1")
        assert json.dumps(state.to_json()) == before
        known |= legal


def check_nobody_acts_out_of_turn(setup: Setup, seed: int) -> None:
    last = None
    for state in positions(setup, seed):
        last = state
        if state.to_move == CHANCE:
            with pytest.raises(NotToMove):
                state.apply(0)
            with pytest.raises(NotToMove):
                state.random_action(random.Random(seed))
            with pytest.raises(BadChance):
                state.apply_chance("no such outcome")
    assert last is not None
    assert last.legal_actions() == []
    for act in (
        lambda: last.apply(0),
        lambda: last.random_action(random.Random(seed)),
        lambda: last.sample_chance(random.Random(seed)),
        lambda: last.apply_chance("1"),
        last.chance_outcomes,
    ):
        with pytest.raises(NotToMove):
            act()


def check_chance_draws_what_it_lists(setup: Setup, seed: int) -> None:
    rng = random.Random(seed)
    for state in positions(setup, seed):
        if state.to_move != CHANCE:
            continue
        outcomes = dict(state.chance_outcomes())
        assert len(outcomes) == len(state.chance_outcomes())
        assert all(weight > 0 for weight in outcomes.values())
        if outcomes:
            drawn = [state.sample_chance(rng) for _ in range(20)]
            assert set(drawn) <= set(outcomes)


def check_random_actions_are_uniform(setup: Setup, seed: int) -> None:
    """Compare drawn actions with a chi-square test, at every fifth decision."""
    rng = random.Random(seed)
    for state in [state.copy() for state in decisions(setup, seed)][::5]:
        actions = state.legal_actions()
        draws = 40 * len(actions)
        drawn = Counter(state.random_action(rng) for _ in range(draws))

        assert set(drawn) <= set(actions)
        square = sum((drawn[action] - 40) ** 2 / 40 for action in actions)
        freedom = len(actions) - 1
        assert abs(square - freedom) <= 6 * sqrt(2 * freedom)


def check_playouts_end(setup: Setup, seed: int) -> None:
    state = setup.start()

    outcome = state.playout(random.Random(seed))

    assert outcome == state.outcome
    assert state.to_move is None
    ranks = outcome.ranks
    assert len(ranks) == setup.seats
    assert ranks == tuple(sum(other < rank for other in ranks) for rank in ranks)
    assert outcome.scores is None or len(outcome.scores) == setup.seats


def check_observations_have_the_common_frame(setup: Setup, seed: int) -> None:
    for state in positions(setup, seed):
        for seat, view in zip((None, *range(state.seats)), views(state), strict=True):
            assert json.loads(json.dumps(view)) == view
            assert set(view) >= FRAME
            assert view.get("you") == seat
            assert ("legal" in view) == (seat is not None and seat == state.to_move)
            assert view["game"] == setup.game.info.key
            assert view["options"] == state.options
            assert view["to_move"] == state.to_move
            assert (view["phase"] == "over") == (state.to_move is None)
            assert view["result"] == (state.outcome and state.outcome.to_json())
        assert repr(state) == f"<{setup.game.info.key} {state.to_json()}>"
        for seat in (-1, state.seats):
            with pytest.raises(IndexError):
                state.observation(seat)
        if state.to_move not in (None, CHANCE):
            texts = [state.text(action) for action in state.legal_actions()]
            assert state.observation(state.to_move)["legal"] == texts


def check_bad_setups_are_refused(setup: Setup, seed: int) -> None:
    low, high = setup.game.info.seats
    for seats in (low - 1, high + 1, True, "2", 2.0):
        with pytest.raises(BadSeats):
            setup.game.start(seats, setup.options)
    bad_options: list[dict[str, Any]] = [
        {"no such option": 1},
        *({option.name: object()} for option in setup.game.info.options),
    ]
    for options in bad_options:
        with pytest.raises(BadOption):
            setup.game.start(setup.seats, options)
    position = setup.start().to_json()
    bad_positions: list[Any] = [
        [],
        {**position, "game": "chess"},
        {**position, "options": {"no such option": 1}},
        {**position, "options": 7},
        {**position, "to_move": setup.seats},
        {**position, "to_move": True},
        {**position, "phase": "no such phase"},
        {**position, "result": {"ranks": [0]}},
        {**position, "no such field": 1},
    ]
    for broken in bad_positions:
        with pytest.raises(BadPosition):
            setup.game.load(broken)


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]
