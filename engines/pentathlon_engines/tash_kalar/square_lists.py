"""Lists of actions on the squares of a mask, assembled from precomputed parts.

Most legal actions place a piece on an empty square. Listing them square by square would take half
the time of a listing, so there is a list for each value of each byte of a mask, and a listing
joins eleven of them.
"""

from __future__ import annotations

from pentathlon_engines.contract.bits import IS_COMPILED
from pentathlon_engines.contract.compiler import mypyc_attr
from pentathlon_engines.tash_kalar.actions import MOVES_TO, PICKUPS, PLACES
from pentathlon_engines.tash_kalar.board import ADJACENT, GRID, LOW_WORD, WORD, bits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final, TypeVar

    from pentathlon_engines.contract.compiler import i64

    Item = TypeVar("Item")

_EIGHT: Final = 8
_BYTES: Final = 11
"""The number of bytes of an arena mask."""


class SquareLists:
    """The actions of a table for masks of squares."""

    __slots__ = ("_bytes", "_table")

    def __init__(self, table: list[int]) -> None:
        self._table = table
        self._bytes: list[list[tuple[int, ...]]] = []

    def on(self, squares: int, before: Sequence[int] = ()) -> list[int]:
        """Return a new list of other actions and of those on some squares in order of name."""
        if not self._bytes:
            self._bytes = [_parts_of(self._table, byte * _EIGHT) for byte in range(_BYTES)]
        a, b, c, d, e, f, g, h, j, k, m = self._bytes
        p, q, r, s, t, u, v, w, x, y, z = squares.to_bytes(_BYTES, "little")
        return [
            *before,
            *a[p],
            *b[q],
            *c[r],
            *d[s],
            *e[t],
            *f[u],
            *g[v],
            *h[w],
            *j[x],
            *k[y],
            *m[z],
        ]


def _parts_of(table: list[int], first: int) -> list[tuple[int, ...]]:
    """Return the actions for each subset of eight squares that start at this one."""
    parts: list[tuple[int, ...]] = [()]
    for action in table[first : first + _EIGHT]:
        parts += [(*others, action) for others in parts]
    return parts


PLACEMENTS: Final = SquareLists(PLACES)
LIFTS: Final = SquareLists(PICKUPS)

_MOVES: Final[list[dict[int, list[int]]]] = [{} for _ in range(GRID)]
"""The moves by square and by the adjacent squares in reach; at most 256 lists per square."""
_FROM: Final[list[tuple[int, list[int], list[int]]]] = []
"""By square: its first neighbour, the offset from that to each one, and the moves to them."""


def add_moves(square: int, reach: int, found: list[int]) -> None:
    """Append the moves from a square to the adjacent ones among those in reach."""
    if IS_COMPILED:  # making a list is faster than finding one in memory
        reach_in_words(reach).add_moves(square, found)
        return
    reach &= ADJACENT[square]
    moves = _MOVES[square].get(reach)
    if moves is None:
        moves = _MOVES[square][reach] = _moves_to(square, reach)
    found += moves


@mypyc_attr(acyclic=True)
class Reach:
    """The squares on which moves of some pieces may end, in words, for compiled code."""

    __slots__ = ("high", "low")

    low: i64
    high: i64

    def __init__(self, low: i64, high: i64) -> None:
        self.low = low
        self.high = high

    def add_moves(self, square: int, found: list[int]) -> None:
        """Append the moves from a square to the adjacent ones among these."""
        if not _FROM:
            _FROM.extend([_ways_from(square) for square in range(GRID)])
        first, ways, actions = _FROM[square]
        start: i64 = first
        near: i64 = self.high
        # Only bits of distant squares are shifted out of a word.
        near = near >> start - WORD if start >= WORD else self.low >> start | near << WORD - start
        _add_near(near, ways, actions, found)


def reach_in_words(squares: int) -> Reach:
    """Return the squares of a mask as a reach."""
    return Reach(squares & LOW_WORD, squares >> WORD)


NOWHERE: Final = Reach(0, 0)


def _ways_from(square: int) -> tuple[int, list[int], list[int]]:
    near = bits(ADJACENT[square]) or [0]
    return near[0], [to - near[0] for to in near], _moves_to(square, ADJACENT[square])


def _add_near(near: i64, ways: list[int], table: list[Item], found: list[Item]) -> None:
    """Append the entries of a table for the ways that lead to set bits."""
    for at, way in enumerate(ways):
        if near >> way & 1:
            found.append(table[at])


def _moves_to(square: int, reach: int) -> list[int]:
    base = square * GRID
    return [MOVES_TO[base + to] for to in bits(reach)]
