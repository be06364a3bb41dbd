"""Many matches of a game at once, as arrays that are filled straight from the positions.

>>> env = VectorEnv("tuned", 64, seed=7)
>>> env.features.shape, env.masks.shape
((64, 60), (64, 270))
>>> rewards, ended = env.step(env.masks.argmax(axis=1))
>>> rewards.shape, ended.any()
((64, 2), np.False_)
"""

import random
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pentathlon_engines.contract.batch import Sight, advance, draw_chance, foresee
from pentathlon_engines.contract.game import Game, State
from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.errors import BadAction


class VectorEnv:
    """`n` matches of one game, each at a decision; chance acts by itself.

    `to_move` has the seat that decides in each match, `features` what that seat sees, and `masks`
    what it may do, which `legal` has as lists. Each step overwrites `features` and `masks`: copy
    what you keep. Where a match ends, the next one begins at once, unless `restarts` is false:
    then nobody is to move there (-1), its rows are zeros, and actions for it are ignored until
    `reset`.
    """

    to_move: NDArray[np.int64]
    legal: list[list[int]]
    states: list[State]

    def __init__(
        self,
        game: str | Game,
        n: int,
        *,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,  # Any: each option has its own type
        seed: int | None = None,
        restarts: bool = True,
    ) -> None:
        self.game = GAMES[game] if isinstance(game, str) else game
        self.seats = self.game.info.check_seats(seats)
        self.restarts = restarts
        self._n = n
        self._options = self.game.info.check_options(options)
        encoder = self.game.encoder()
        self._encode = encoder.encode
        actions = self.game.info.actions
        self.features = np.zeros((n, encoder.size(self.seats)), np.float32)
        self.masks = np.zeros((n, actions), np.bool_)
        rows: list[Any] = list(self.features)  # Any: mypy does not know that they are buffers
        self._rows = [memoryview(row).cast("B") for row in rows]
        self._flat = self.masks.reshape(-1)
        self._first = np.arange(n) * actions
        """The place of each match's first action in all masks."""
        self._marked = self._first[:0]
        """The places in all masks that are true."""
        self._rng = random.Random(seed)
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Begin all matches anew; without a seed, the generator continues."""
        if seed is not None:
            self._rng = random.Random(seed)
        self.states = [self._start() for _ in range(self._n)]
        self._look()

    def step(
        self, actions: Sequence[int] | NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Do one action in each match; return rewards by match and seat, and which matches ended.

        Rewards come at the end: the share of the other seats that rank behind, minus the share
        that rank ahead. An illegal action raises `IllegalAction` before anything is done.
        """
        if len(actions) != self._n:
            raise BadAction(f"{len(actions)} actions", reason=f"there are {self._n} matches")
        given = actions.tolist() if isinstance(actions, np.ndarray) else list(map(int, actions))
        shares = np.zeros((self._n, self.seats))
        ended = np.zeros(self._n, np.bool_)
        endings = advance(self.states, given, self._sight, self._rng)
        for place, outcome in endings.items():
            shares[place] = rewards(outcome.ranks)
            ended[place] = True
            if self.restarts:
                self.states[place] = self._start()
        self._look()
        return shares, ended

    def observe(self, place: int, seat: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return what a seat of a match sees and what it may do, as arrays of their own."""
        state = self.states[place]
        if state.to_move == seat:
            return self.features[place].copy(), self.masks[place].copy()
        pieces: list[bytes] = []
        self._encode(state, seat, pieces)
        seen = np.frombuffer(bytearray().join(pieces), np.float32)
        return seen, np.zeros_like(self.masks[place])

    def foresee(self) -> NDArray[np.float32]:
        """Return what the seats to move see after each of their legal actions, a row for each.

        Rows are in the order of `legal`, match by match. What chance decides next is still open.
        """
        seen = foresee(self.states, self.legal, self._encode)
        return np.frombuffer(seen, np.float32).reshape(-1, self.features.shape[1])

    def _start(self) -> State:
        state = self.game.start(self.seats, self._options)
        draw_chance(state, self._rng)
        return state

    def _look(self) -> None:
        """Make all arrays from the states."""
        self._sight = sight = Sight(self.states, self._encode, self._rows)
        self.legal = sight.legal
        self.to_move = np.array(sight.to_move)
        # By way of bytes: numpy takes five times as long for a list.
        packed = struct.pack(f"{len(sight.actions)}q", *sight.actions)
        places = np.frombuffer(packed, np.int64)
        if self._n > 1:
            places = places + np.repeat(self._first, sight.numbers)
        self._flat[self._marked] = False
        self._flat[places] = True
        self._marked = places


def rewards(ranks: tuple[int, ...]) -> list[float]:
    """Return for each seat the share of others that rank behind, minus the share ahead.

    >>> rewards((0, 1, 1))
    [1.0, -0.5, -0.5]
    """
    others = len(ranks) - 1
    return [
        (sum(rank < other for other in ranks) - sum(other < rank for other in ranks)) / others
        for rank in ranks
    ]
