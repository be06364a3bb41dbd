"""How good a position of Way of the Dragon looks to a seat: a rule of thumb for simple bots.

Points count for a seat, the spaces that its pieces lack to their numbers against it; the sum is
compared with that of the best other seat. In its own turn a seat also expects a gain from its
dice.
"""

from __future__ import annotations

from math import comb

from pentathlon_engines.way_of_the_dragon.actions import PATHS
from pentathlon_engines.way_of_the_dragon.board import MOVING, ROLL
from pentathlon_engines.way_of_the_dragon.dice import COUNTS, DICE, FACES, IS_BALANCED, REROLLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition

_SPACE: Final = 0.8
"""The cost, in points, of each space that a piece lacks to its last plain one."""
_WIN: Final = 100.0


def worth(state: WayOfTheDragonPosition, seat: int) -> float:
    """Return how good the position looks to a seat; more is better."""
    if state.outcome is not None:
        return _WIN if state.outcome.ranks[seat] == 0 else -_WIN
    others = [other for other in range(state.seats) if other != seat]
    found = _standing(state, seat) - max(_standing(state, other) for other in others)
    if state.turn_of == seat and state.phase in (ROLL, MOVING):
        found += _hope(state)
    return found


def pieces_of(state: WayOfTheDragonPosition, seat: int) -> list[int]:
    """Return where the pieces of a seat are, path by path."""
    return state.positions[PATHS * seat : PATHS * (seat + 1)]


def _standing(state: WayOfTheDragonPosition, seat: int) -> float:
    return sum(_at(state, path, at) for path, at in enumerate(pieces_of(state, seat)))


def _at(state: WayOfTheDragonPosition, path: int, at: int) -> float:
    """Return what a piece at this position of a path is worth."""
    points = state.board.points[path][at]
    return points or _SPACE * (at - state.board.plain[path])


def _hope(state: WayOfTheDragonPosition) -> float:
    """Return the expected gain of the seat on turn if it rolls on for the best element."""
    rolling = state.phase == ROLL
    dice = state.kept if rolling else state.dice
    mine = enumerate(pieces_of(state, state.turn_of))
    walking = [(path, at) for path, at in mine if at <= state.board.plain[path]]
    if IS_BALANCED[dice]:
        return sum(_gain(state, path, at, 1) for path, at in walking)
    counts = COUNTS[dice]
    free = DICE - sum(counts) if rolling else 0
    chances = _CHANCES[state.rolls_left + 1][free]
    best = 0.0
    for path, at in walking:
        gains = [_gain(state, path, at, counts[path] + more) for more in range(free + 1)]
        expected = sum(chance * gain for chance, gain in zip(chances, gains, strict=True))
        best = max(best, expected)
    return best


def _gain(state: WayOfTheDragonPosition, path: int, at: int, spaces: int) -> float:
    """Return the gain of moving the own piece of a path; 0 if the move would end on a piece."""
    if not spaces or state.taken[path] >> at + spaces & 1:
        return 0.0
    return _at(state, path, at + spaces) - _at(state, path, at)


def _chances(rolls: int, dice: int) -> list[float]:
    """Return the probabilities that 0, 1, 2 ... of some dice show one face after some rolls."""
    hit = 1 - (1 - 1 / len(FACES)) ** rolls
    return [comb(dice, n) * hit**n * (1 - hit) ** (dice - n) for n in range(dice + 1)]


_CHANCES: Final = [
    [_chances(rolls, dice) for dice in range(DICE + 1)] for rolls in range(REROLLS + 2)
]
