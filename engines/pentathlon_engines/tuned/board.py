"""The constants of Tuned: squares, lines, animals and hands.

Squares are numbers 0 to 8 in the order a1, b1, c1, a2, ...; a set of squares is a mask with one
bit each. Kinds of animals are 0 donkey, 1 dog, 2 cat: each may stand on an empty square or on
the kind before it, so that three masks, one per kind, are the whole board.
"""

from __future__ import annotations

from pentathlon_engines.light_json import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

# Written out, so that the compiler knows this number and those derived from it.
SIZE: Final = 3
AREA: Final = SIZE * SIZE
PER_SQUARE: Final = 3 * AREA
"""The number of move actions for each square they start from: one per kind and target."""
MOVES: Final = 3 * AREA
"""The first action that is a move."""


def _bits(count: int) -> list[tuple[int, ...]]:
    """Return for each mask of `count` bits the numbers of its bits, lowest first."""
    table: list[tuple[int, ...]] = [()]
    for bit in range(count):
        table += [(*bits, bit) for bits in table]
    return table


def _lines() -> list[int]:
    """Return the masks of all rows, columns and the two diagonals."""
    row = (1 << SIZE) - 1
    column = sum(1 << SIZE * i for i in range(SIZE))
    falling = sum(1 << (SIZE + 1) * i for i in range(SIZE))
    rising = sum(1 << (SIZE - 1) * (i + 1) for i in range(SIZE))
    rows = [row << SIZE * i for i in range(SIZE)]
    return [*rows, *(column << i for i in range(SIZE)), falling, rising]


def _line_table() -> bytes:
    """Return for each set of squares whether it holds a line."""
    table = bytearray(FULL + 1)
    for line in LINES:
        others = FULL ^ line
        subset = others
        while subset:
            table[line | subset] = 1
            subset = (subset - 1) & others
        table[line] = 1
    return bytes(table)


_RULES: Final[dict[str, Any]] = read_data(__file__, "rules.json")  # JSON

REPETITION_DRAW: Final[int] = _RULES["repetition_draw"]
MAX_ACTIONS: Final[int] = _RULES["max_actions"]
KINDS: Final[tuple[str, ...]] = tuple(animal["name"] for animal in _RULES["animals"])
LETTERS: Final[str] = "".join(animal["letter"] for animal in _RULES["animals"])
EACH: Final[tuple[int, ...]] = tuple(animal["each"] for animal in _RULES["animals"])

DONKEY: Final = 0
DOG: Final = 1
CAT: Final = 2

COLUMNS: Final = "abc"
ROWS: Final = "123"
SQUARES: Final[tuple[str, ...]] = tuple(column + row for row in ROWS for column in COLUMNS)
FULL: Final = (1 << AREA) - 1
BITS: Final[list[tuple[int, ...]]] = _bits(AREA)
"""The squares in each set of squares."""
LINES: Final = _lines()
HAS_LINE: Final = _line_table()

ONE: Final[tuple[int, ...]] = (1, 4, 16)
"""One animal of each kind in a hand; a hand is one number with two bits per kind."""
KIND_BITS: Final[tuple[int, ...]] = (3, 12, 48)
DONKEY_BITS: Final = 3
DOG_BITS: Final = 12
CAT_BITS: Final = 48
FULL_HAND: Final[int] = sum(each * one for each, one in zip(EACH, ONE, strict=True))
