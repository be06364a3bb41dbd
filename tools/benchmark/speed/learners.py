"""What a step of a learner's environment costs beside the rules that it needs in any case.

All play the same way: random legal actions, chance and the starts of matches included. Only the
steps are timed, in turns within one slice.
"""

import random
import time
from typing import Any

from pentathlon_engines import CHANCE, GAMES, State
from pentathlon_engines.rl import PentathlonEnv, VectorEnv

_MATCHES = 64
_WARM_UP = 60
"""The steps before measuring, so that the matches are in all phases."""


class _Rules:
    """Nothing but `apply_unchecked` and `legal_actions`."""

    def __init__(self, game: str, rng: random.Random) -> None:
        self._game = GAMES[game]
        self._rng = rng
        self._states = [self._start() for _ in range(_MATCHES)]
        self.legal = [state.legal_actions() for state in self._states]

    def step(self, actions: list[int]) -> None:
        for place, action in enumerate(actions):
            state = self._states[place]
            state.apply_unchecked(action)
            while state.to_move == CHANCE:
                state.apply_chance(state.sample_chance(self._rng))
            if state.to_move is None:
                state = self._states[place] = self._start()
            self.legal[place] = state.legal_actions()

    def _start(self) -> State:
        state = self._game.start()
        while state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(self._rng))
        return state


class _OneByOne:
    """PettingZoo's environment, with what an agent looks at before it acts."""

    def __init__(self, game: str) -> None:
        self._env = PentathlonEnv(game)

    @property
    def legal(self) -> list[list[int]]:
        return [self._env.position.legal_actions()]

    def step(self, actions: list[int]) -> None:
        self._env.step(actions[0])
        if self._env.position.to_move is None:
            self._env.reset()
        self._env.last()


def learning(game: str, slice_s: float) -> dict[str, float]:
    """Return the cost of an action in both environments as a multiple of that of the rules."""
    rng = random.Random(5)
    players: dict[str, Any] = {  # Any: what has `legal` by match and `step`
        "rules": _Rules(game, rng),
        "vector": VectorEnv(game, _MATCHES, seed=5),
        "pettingzoo": _OneByOne(game),
    }
    for player in players.values():
        for _ in range(_WARM_UP):
            _step(player, rng)
    spent_s, done = dict.fromkeys(players, 0.0), dict.fromkeys(players, 0)
    while sum(spent_s.values()) < slice_s:
        for name, player in players.items():
            acted = 0
            while acted < _MATCHES:
                step_s, actions = _step(player, rng)
                spent_s[name] += step_s
                acted += actions
            done[name] += acted
    each_s = {name: spent_s[name] / done[name] for name in players}
    return {name: each_s[name] / each_s["rules"] for name in ("vector", "pettingzoo")}


def _step(player: Any, rng: random.Random) -> tuple[float, int]:
    """Return the CPU seconds of a step in all matches of a player, and their number."""
    actions = [legal[int(rng.random() * len(legal))] for legal in player.legal]
    started_s = time.process_time()
    player.step(actions)
    return time.process_time() - started_s, len(actions)
