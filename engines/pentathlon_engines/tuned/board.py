"""What never changes in Tuned: squares, lines, actions and their texts.

Squares are numbers 0 to 8 in the order a1, b1, c1, a2, ...; a set of squares is a mask with one
bit each. Kinds of animals are 0 donkey, 1 dog, 2 cat: each may stand on an empty square or on
the kind before it, so that three masks, one per kind, are the whole board.

Actions are numbered in the order in which the rules list them: `add` is kind x 9 + square, and
`move` is 27 + from x 27 + (n - 1) x 9 + to.

>>> TEXTS[ACTIONS["move b2 c3 1"]]
'move b2 c3 1'
"""

from __future__ import annotations

from pentathlon_engines.contract.data import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


def _bits(count: int) -> tuple[tuple[int, ...], ...]:
    """Return for each mask of `count` bits the numbers of its bits, lowest first."""
    table: list[tuple[int, ...]] = [()]
    for bit in range(count):
        table += [(*bits, bit) for bits in table]
    return tuple(table)


def _lines(size: int) -> list[int]:
    """Return the masks of all rows, columns and the two diagonals."""
    row = (1 << size) - 1
    column = sum(1 << size * i for i in range(size))
    falling = sum(1 << (size + 1) * i for i in range(size))
    rising = sum(1 << (size - 1) * (i + 1) for i in range(size))
    rows = [row << size * i for i in range(size)]
    return [*rows, *(column << i for i in range(size)), falling, rising]


def _line_table(lines: list[int], full: int) -> tuple[bool, ...]:
    """Return for each set of squares whether it holds a line."""
    table = [False] * (full + 1)
    for line in lines:
        others = full ^ line
        subset = others
        while subset:
            table[line | subset] = True
            subset = (subset - 1) & others
        table[line] = True
    return tuple(table)


def _texts() -> tuple[str, ...]:
    adds = [f"add {kind} {square}" for kind in KINDS for square in SQUARES]
    heights = range(1, len(KINDS) + 1)
    moves = [f"move {a} {b} {n}" for a in SQUARES for n in heights for b in SQUARES]
    return (*adds, *moves)


_RULES: Final[dict[str, Any]] = read_data(__file__, "rules.json")  # JSON
_SIZE: Final[int] = _RULES["size"]

REPETITION_DRAW: Final[int] = _RULES["repetition_draw"]
MAX_ACTIONS: Final[int] = _RULES["max_actions"]
KINDS: Final[tuple[str, ...]] = tuple(animal["name"] for animal in _RULES["animals"])
LETTERS: Final[str] = "".join(animal["letter"] for animal in _RULES["animals"])
EACH: Final[tuple[int, ...]] = tuple(animal["each"] for animal in _RULES["animals"])

DONKEY: Final = 0
DOG: Final = 1
CAT: Final = 2

COLUMNS: Final = "abc"[:_SIZE]
ROWS: Final = "123"[:_SIZE]
SQUARES: Final[tuple[str, ...]] = tuple(column + row for row in ROWS for column in COLUMNS)
FULL: Final[int] = (1 << len(SQUARES)) - 1
BITS: Final[tuple[tuple[int, ...], ...]] = _bits(len(SQUARES))
LINES: Final[list[int]] = _lines(_SIZE)
HAS_LINE: Final[tuple[bool, ...]] = _line_table(LINES, FULL)

MOVES: Final[int] = len(KINDS) * len(SQUARES)
"""The first action that is a move."""
TEXTS: Final[tuple[str, ...]] = _texts()
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}

GRAMMAR: Final = (
    f"'add ({'|'.join(KINDS)}) <square>' or 'move <from> <to> <1-{len(KINDS)}>', "
    f"squares {SQUARES[0]} to {SQUARES[-1]}"
)

ONE: Final[tuple[int, ...]] = (1, 4, 16)
"""One animal of each kind in a hand; a hand is one number with two bits per kind."""
KIND_BITS: Final[tuple[int, ...]] = (3, 12, 48)
FULL_HAND: Final[int] = sum(each * one for each, one in zip(EACH, ONE, strict=True))


def split_move(action: int) -> tuple[int, int, int]:
    """Return the square a move comes from, how many animals are above the lowest, and its target.

    >>> split_move(ACTIONS["move b1 c1 3"])
    (1, 2, 2)
    """
    move = action - MOVES
    return move // 27, move // 9 % 3, move % 9


def reverse_of(action: int) -> int:
    """Return the one move that takes a move back (6.4).

    >>> TEXTS[reverse_of(ACTIONS["move b2 c3 1"])]
    'move c3 b2 1'
    """
    source, above, target = split_move(action)
    return MOVES + 27 * target + 9 * above + source
