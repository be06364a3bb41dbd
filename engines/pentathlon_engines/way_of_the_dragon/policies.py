"""Policies of Way of the Dragon for simulations, as its rules page describes them (12)."""

from __future__ import annotations

from random import Random
from typing import Final

from pentathlon_engines.contract.game import State
from pentathlon_engines.way_of_the_dragon.actions import AGAIN, KEEP, PATHS, REBIRTH, STOP
from pentathlon_engines.way_of_the_dragon.board import EXTRA, KEEPING
from pentathlon_engines.way_of_the_dragon.dice import COUNTS, DICE, FACES, NUMBERS
from pentathlon_engines.way_of_the_dragon.evaluation import pieces_of
from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Policy


def play_greedy(state: State, actions: list[int], rng: Random) -> int:
    """Collect the element whose piece would get furthest, then go as far as possible."""
    if not isinstance(state, WayOfTheDragonPosition):
        raise TypeError(f"a position of Way of the Dragon is needed, not {state!r}")
    if state.phase == KEEPING:
        return _collect(state, rng)
    if state.phase == EXTRA:
        return AGAIN if AGAIN in actions else REBIRTH
    return max(actions, key=lambda action: (_reach(state, action), rng.random()))


def _collect(state: WayOfTheDragonPosition, rng: Random) -> int:
    """Keep all dice of one element, or stop when there is nothing else to roll."""
    counts, mine = COUNTS[state.dice], pieces_of(state, state.turn_of)
    walking = [path for path in range(PATHS) if mine[path] <= state.board.plain[path]]
    best = max(walking, key=lambda path: (mine[path] + counts[path], rng.random()))
    if counts[best] == DICE or not state.rolls_left:
        return STOP
    return KEEP + NUMBERS[FACES[best] * counts[best]]


def _reach(state: WayOfTheDragonPosition, action: int) -> int:
    """Return how far the best moved piece of the seat is beyond the last plain space."""
    seat, plain = state.turn_of, state.board.plain
    after = state.copy()
    after.apply_unchecked(action)
    own = enumerate(zip(pieces_of(state, seat), pieces_of(after, seat), strict=True))
    reached = [now - plain[path] for path, (before, now) in own if now != before]
    return max(reached, default=-max(plain))


POLICIES: Final[dict[str, Policy]] = {"greedy": play_greedy}
