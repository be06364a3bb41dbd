"""Positions of Tuned as numbers, without past positions except how often this one occurred."""

from __future__ import annotations

from pentathlon_engines.encoding.pieces import choices, piece, shares
from pentathlon_engines.tuned.actions import TEXTS, split_move
from pentathlon_engines.tuned.board import (
    AREA,
    EACH,
    FULL_HAND,
    LETTERS,
    MAX_ACTIONS,
    MOVES,
    ONE,
    REPETITION_DRAW,
    SIZE,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.tuned.state import TunedPosition

_KINDS: Final[int] = len(LETTERS)


def _squares(mask: int) -> bytes:
    """Return the animals of a row of squares by a mask of the row for each kind."""
    return piece(
        mask >> SIZE * kind + square & 1 for square in range(SIZE) for kind in range(_KINDS)
    )


def _last(action: int) -> bytes:
    """Return source, target and number of animals of a move, which may not be taken back."""
    if action < MOVES:
        return piece([0] * (2 * AREA + 1))
    source, above, target = split_move(action)
    squares = choices(AREA)
    return squares[source] + squares[target] + shares(_KINDS)[above + 1]


_SEATS: Final = choices(2)
_SQUARES: Final = [_squares(mask) for mask in range(1 << SIZE * _KINDS)]
_HANDS: Final = [
    piece((hand // one % 4) / max(EACH) for one in ONE) for hand in range(FULL_HAND + 1)
]
_ROOSTERS: Final = choices(2)
_LASTS: Final = [_last(action) for action in (*range(len(TEXTS)), -1)]
_ACTIONS: Final = shares(MAX_ACTIONS)
_SEEN: Final = shares(REPETITION_DRAW)


def size(seats: int) -> int:
    """Return how many numbers there are."""
    return 2 + AREA * _KINDS + 2 * _KINDS + 4 + 2 * AREA + 1 + 2


def encode(state: TunedPosition, seat: int, pieces: list[bytes]) -> None:
    """Add what a seat sees: turn, squares, hands, roosters, last move, counts."""
    donkeys, dogs, cats = state.donkeys, state.dogs, state.cats
    pieces.append(_SEATS[-1 if state.to_move is None else state.to_move ^ seat])
    pieces += [
        _SQUARES[donkeys >> row & 7 | (dogs >> row & 7) << 3 | (cats >> row & 7) << 6]
        for row in range(0, AREA, SIZE)
    ]
    mine = _ROOSTERS[state.blocked if state.hand else -1]
    other = _ROOSTERS[state.other_blocked if state.other_hand else -1]
    if state.turn == seat:
        pieces += (_HANDS[state.hand], _HANDS[state.other_hand], mine, other)
    else:
        pieces += (_HANDS[state.other_hand], _HANDS[state.hand], other, mine)
    pieces += (_LASTS[state.last], _ACTIONS[state.actions], _SEEN[state.seen()])
