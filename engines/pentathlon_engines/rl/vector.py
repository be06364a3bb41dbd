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
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pentathlon_engines.contract.game import CHANCE, Game, State
from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.errors import BadAction

Numbers = NDArray[np.float32]


class VectorEnv:
    """`n` matches of one game, each at a decision; chance acts by itself.

    `to_move` has the seat that decides in each match, `features` what that seat sees, and `masks`
    what it may do, which `legal` has as lists. A step overwrites these arrays: copy what you keep.
    Where a match ends, the next one begins at once, unless `restarts` is false: then nobody is to
    move there (-1), its row is all zeros, and actions for it are ignored until `reset`.
    """

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
        self._options = self.game.info.check_options(options)
        encoder = self.game.encoder()
        self._row = encoder.row
        most = encoder.most(self.seats, self._options)
        self._share = np.array(most, np.float32)
        self.features: Numbers = np.zeros((n, len(most)), np.float32)
        self.masks: NDArray[np.bool_] = np.zeros((n, self.game.info.actions), np.bool_)
        self._flat = self.masks.reshape(-1)
        self._first = np.arange(n) * self.game.info.actions
        """The place of each match's first action in all masks."""
        self._rng = random.Random(seed)
        self.states: list[State] = [self._start() for _ in range(n)]
        self._type = getattr(encoder.row(self.states[0], 0), "typecode", "B")
        self._most = np.array(most, self._type)
        self._show()

    def __len__(self) -> int:
        return len(self.states)

    def reset(self, seed: int | None = None) -> None:
        """Begin all matches anew; without a seed, the generator continues."""
        if seed is not None:
            self._rng = random.Random(seed)
        self.states = [self._start() for _ in range(len(self))]
        self._show()

    def step(
        self, actions: Sequence[int] | NDArray[Any]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Do one action in each match; return rewards by match and seat, and which matches ended.

        Rewards come at the end: the share of the other seats that rank behind, minus the share
        that rank ahead. An illegal action raises `IllegalAction` before anything is done.
        """
        given = actions.tolist() if isinstance(actions, np.ndarray) else actions
        self._check(given)
        shares = np.zeros((len(self.states), self.seats))
        ended = np.zeros(len(self.states), np.bool_)
        states = self.states
        for place, action in enumerate(given):
            state = states[place]
            if state.to_move is None:
                continue
            state.apply_unchecked(action)
            if state.to_move == CHANCE:
                self._play_chance(state)
            if state.outcome is not None:
                shares[place] = rewards(state.outcome.ranks)
                ended[place] = True
                if self.restarts:
                    states[place] = self._start()
        self._show()
        return shares, ended

    def observe(self, place: int, seat: int) -> tuple[Numbers, NDArray[np.bool_]]:
        """Return, as arrays of their own, what a seat of a match sees and what it may do."""
        if self.states[place].to_move == seat:
            return self.features[place].copy(), self.masks[place].copy()
        seen = np.empty_like(self.features[:1])
        self._scale([self._row(self.states[place], seat)], seen)
        return seen[0], np.zeros_like(self.masks[0])

    def _start(self) -> State:
        state = self.game.start(self.seats, self._options)
        self._play_chance(state)
        return state

    def _play_chance(self, state: State) -> None:
        while state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(self._rng))

    def _check(self, given: Sequence[int]) -> None:
        if len(given) != len(self.legal):
            raise BadAction(f"{len(given)} actions", reason=f"there are {len(self.legal)} matches")
        for place, (action, legal) in enumerate(zip(given, self.legal, strict=True)):
            if action not in legal and legal:
                self.states[place].apply(action)  # says why not

    def _show(self) -> None:
        """Write all arrays from the states."""
        row = self._row
        movers, rows, self.legal = [], [], []
        for state in self.states:
            self.legal.append(state.legal_actions())
            seat = state.to_move
            if seat is None:
                movers.append(-1)
            else:
                movers.append(seat)
                rows.append(row(state, seat))
        self.to_move = np.array(movers)
        if len(rows) == len(movers):
            self._scale(rows, self.features)
        else:
            self.features.fill(0)
            alive = np.empty((len(rows), self.features.shape[1]), np.float32)
            self._scale(rows, alive)
            self.features[self.to_move >= 0] = alive
        self._mark(self.legal)

    def _scale(self, rows: list[Any], out: Numbers) -> None:
        """Write counts as shares of the most, each at most 1."""
        counts = np.frombuffer(bytearray().join(rows), self._type).reshape(out.shape)
        np.minimum(counts, self._most, out=counts)
        np.divide(counts, self._share, out)

    def _mark(self, legal: list[list[int]]) -> None:
        """Make the masks true for these actions only."""
        numbers = list(map(len, legal))
        # By way of bytes: numpy takes five times as long for a list.
        packed = struct.pack(f"{sum(numbers)}q", *chain.from_iterable(legal))
        places = np.frombuffer(packed, np.int64)
        if len(legal) > 1:
            places = places + np.repeat(self._first, numbers)
        self.masks.fill(False)
        self._flat[places] = True


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
