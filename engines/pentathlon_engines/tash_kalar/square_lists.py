"""Lists of actions on the squares of a mask, put together from pieces that are made once.

Most of what a seat may do is to place a piece on any empty square. Listing these square by square
would take half the time of a listing, so for each file of the arena and each set of its squares
there is a list, and a listing joins nine of them.
"""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import PICKUPS, PLACES
from pentathlon_engines.tash_kalar.board import SIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

_FILE: Final = (1 << SIDE) - 1
_TWO_FILES: Final = 2 * SIDE
_THREE_FILES: Final = 3 * SIDE
_SMALL: Final = (1 << _THREE_FILES) - 1
"""Masks are read by three files: small numbers are faster."""


class SquareLists:
    """What a table of actions by square has for masks of squares."""

    __slots__ = ("_files", "_table")

    def __init__(self, table: list[int]) -> None:
        self._table = table
        self._files: list[list[tuple[int, ...]]] = []

    def on(self, squares: int, before: Sequence[int] = ()) -> list[int]:
        """Return a new list: other actions, then those on some squares in the order of names."""
        if not self._files:
            self._files = [_parts_of(self._table, file * SIDE) for file in range(SIDE)]
        a, b, c, d, e, f, g, h, j = self._files
        low, middle, high = squares & _SMALL, squares >> _THREE_FILES & _SMALL, squares >> 6 * SIDE
        return [
            *before,
            *a[low & _FILE],
            *b[low >> SIDE & _FILE],
            *c[low >> _TWO_FILES],
            *d[middle & _FILE],
            *e[middle >> SIDE & _FILE],
            *f[middle >> _TWO_FILES],
            *g[high & _FILE],
            *h[high >> SIDE & _FILE],
            *j[high >> _TWO_FILES],
        ]


def _parts_of(table: list[int], first: int) -> list[tuple[int, ...]]:
    """Return the actions for each set of squares of the file that begins with a square."""
    parts: list[tuple[int, ...]] = [()]
    for square in range(first, first + SIDE):
        parts += [(*others, table[square]) for others in parts]
    return parts


PLACEMENTS: Final = SquareLists(PLACES)
LIFTS: Final = SquareLists(PICKUPS)
