"""The board of connect four and its actions, which are the columns.

A square is column x 7 + row: the row above the board stays empty, so that shifting a mask of
squares along a line never leads from one column into the next.

>>> TEXTS[ACTIONS["drop d"]]
'drop d'
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

COLUMNS: Final = "abcdefg"
ROWS: Final = "123456"
PER_COLUMN: Final = len(ROWS) + 1
IN_A_LINE: Final = 4
STEPS: Final = (1, PER_COLUMN - 1, PER_COLUMN, PER_COLUMN + 1)
"""The distance of the next square up, and to the right falling, level and rising."""
SQUARES: Final = [f"{column}{row}" for column in COLUMNS for row in [*ROWS, "-"]]
"""The name of each square; those of the empty row end with a dash."""
PLAYED: Final = [square for square, name in enumerate(SQUARES) if not name.endswith("-")]
TEXTS: Final = tuple(f"drop {column}" for column in COLUMNS)
ACTIONS: Final = {text: action for action, text in enumerate(TEXTS)}
GRAMMAR: Final = f"'drop <{COLUMNS[0]}-{COLUMNS[-1]}>'"


def line_in(discs: int) -> list[int]:
    """Return the squares of a line in a mask of discs; none if there is no line.

    >>> [SQUARES[square] for square in line_in(0b11110)]
    ['a2', 'a3', 'a4', 'a5']
    """
    for step in STEPS:
        pairs = discs & discs >> step
        first = pairs & pairs >> 2 * step
        if first:
            square = first.bit_length() - 1
            return [square + step * number for number in range(IN_A_LINE)]
    return []
