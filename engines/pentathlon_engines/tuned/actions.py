"""The actions of Tuned: numbers and texts, in the order in which the rules list them.

`add` is kind x 9 + square, and `move` is 27 + from x 27 + (n - 1) x 9 + to.

>>> TEXTS[ACTIONS["move b2 c3 1"]]
'move b2 c3 1'
"""

from __future__ import annotations

from pentathlon_engines.tuned.board import AREA, KINDS, MOVES, PER_SQUARE, SQUARES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64


def _texts() -> tuple[str, ...]:
    adds = [f"add {kind} {square}" for kind in KINDS for square in SQUARES]
    heights = range(1, len(KINDS) + 1)
    moves = [f"move {a} {b} {n}" for a in SQUARES for n in heights for b in SQUARES]
    return (*adds, *moves)


TEXTS: Final[tuple[str, ...]] = _texts()
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}

GRAMMAR: Final = (
    f"'add ({'|'.join(KINDS)}) <square>' or 'move <from> <to> <1-{len(KINDS)}>', "
    f"squares {SQUARES[0]} to {SQUARES[-1]}"
)


def split_move(action: i64) -> tuple[i64, i64, i64]:
    """Return the square a move comes from, how many animals are above the lowest, and its target.

    >>> split_move(ACTIONS["move b1 c1 3"])
    (1, 2, 2)
    """
    move = action - MOVES
    return move // PER_SQUARE, move // AREA % 3, move % AREA


def join_move(source: i64, above: i64, target: i64) -> i64:
    """Return the move with these parts, as `split_move` gives them.

    >>> TEXTS[join_move(1, 2, 2)]
    'move b1 c1 3'
    """
    return MOVES + PER_SQUARE * source + AREA * above + target
