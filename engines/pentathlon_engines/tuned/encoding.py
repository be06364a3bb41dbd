"""Positions of Tuned as counts, without past positions except how often this one occurred."""

from __future__ import annotations

from pentathlon_engines.tuned.actions import split_move
from pentathlon_engines.tuned.board import (
    AREA,
    BITS,
    EACH,
    FULL_HAND,
    LETTERS,
    MAX_ACTIONS,
    MOVES,
    ONE,
    REPETITION_DRAW,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.tuned.state import TunedPosition

_KINDS: Final = 3
_BOARD: Final = 2
"""The first column of the board: one for each animal of each square."""
_HANDS: Final[int] = _BOARD + AREA * _KINDS
_ROOSTERS: Final[int] = _HANDS + 2 * _KINDS
_SOURCE: Final[int] = _ROOSTERS + 4
_TARGET: Final[int] = _SOURCE + AREA
_COUNT: Final[int] = _TARGET + AREA
_SIZE: Final[int] = _COUNT + 3
_EMPTY: Final = bytearray(_SIZE)
_LETTERS: Final = [bytearray([hand // one % 4 for one in ONE]) for hand in range(FULL_HAND + 1)]
"""By hand, the number of each animal."""


def most(seats: int, options: dict[str, Any]) -> list[int]:
    """Return for each column the count that becomes 1."""
    hands = [max(EACH)] * (2 * _KINDS)
    last = [1] * (2 * AREA) + [len(LETTERS)]
    return [1] * _HANDS + hands + [1] * 4 + last + [MAX_ACTIONS, REPETITION_DRAW]


def row(state: TunedPosition, seat: int) -> bytearray:
    """Return what a seat sees: turn, squares, hands, roosters, last move, counts."""
    found = _EMPTY[:]
    if state.to_move is not None:
        found[state.to_move ^ seat] = 1
    square: i64
    for square in BITS[state.donkeys]:
        found[_BOARD + _KINDS * square] = 1
    for square in BITS[state.dogs]:
        found[_BOARD + 1 + _KINDS * square] = 1
    for square in BITS[state.cats]:
        found[_BOARD + 2 + _KINDS * square] = 1
    mine: i64 = state.turn ^ seat
    _add_hand(found, mine, state.hand, state.blocked)
    _add_hand(found, 1 - mine, state.other_hand, state.other_blocked)
    if state.last >= MOVES:  # it may not be taken back
        source, above, target = split_move(state.last)
        found[_SOURCE + source] = 1
        found[_TARGET + target] = 1
        found[_COUNT] = above + 1
    found[_COUNT + 1] = state.actions
    found[_COUNT + 2] = state.seen()
    return found


def _add_hand(found: bytearray, place: i64, hand: i64, blocked: bool) -> None:
    if hand:
        first = _HANDS + _KINDS * place
        found[first : first + _KINDS] = _LETTERS[hand]
        found[_ROOSTERS + 2 * place + (1 if blocked else 0)] = 1
