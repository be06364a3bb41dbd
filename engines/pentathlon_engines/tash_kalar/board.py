"""The arena of Tash-Kalar: squares, masks, neighbours and rays (sections 1.1 to 1.4).

A square is `file * 9 + rank` in the full grid of nine by nine. Squares are thus in the order of
their names, and shifting a mask moves a pattern over the arena. Masks and tables have no entries
at the missing corners.
"""

from __future__ import annotations

from pentathlon_engines.contract.bits import IS_COMPILED, count_bits
from pentathlon_engines.light_json import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final, TypeVar

    from pentathlon_engines.contract.compiler import i64

    Item = TypeVar("Item")

RULES: Final[dict[str, Any]] = read_data(__file__, "rules.json")
FILES: Final[str] = RULES["files"]
SIDE: Final = 9
GRID: Final = SIDE * SIDE
DIRECTIONS: Final = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
DELTAS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The change of file and rank by one step in each direction."""
EIGHT: Final = len(DIRECTIONS)


def _name(square: int) -> str:
    name = f"{FILES[square // SIDE]}{square % SIDE + 1}"
    return "" if name in RULES["missing"] else name


NAMES: Final[tuple[str, ...]] = tuple(_name(square) for square in range(GRID))
"""The name of each square; empty for a missing corner."""
SQUARES: Final[tuple[int, ...]] = tuple(square for square in range(GRID) if NAMES[square])
INDEX: Final[dict[str, int]] = {NAMES[square]: square for square in SQUARES}
BIT: Final[tuple[int, ...]] = tuple(1 << square for square in range(GRID))


def mask(squares: Iterable[int]) -> int:
    """Return the mask of some squares."""
    found = 0
    for square in squares:
        found |= 1 << square
    return found


def named(names: Iterable[str]) -> int:
    """Return the mask of some squares by their names."""
    return mask(INDEX[name] for name in names)


_RANKS_OF: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(rank for rank in range(SIDE) if line >> rank & 1) for line in range(1 << SIDE)
)
"""The ranks whose bits are set in each mask of one file."""
WORD: Final = 54
"""The number of squares in six files: compiled, numbers up to 62 bits need no objects."""
LOW_WORD: Final = (1 << WORD) - 1
_ONE: Final[list[int]] = [1 << place for place in range(2 * GRID)]
_NUMBERS: Final[list[int]] = [*range(2 * GRID)]
"""The numbers of the bits in `_ONE`: more than there are squares, cards and tasks."""


def bits(members: int) -> list[int]:
    """Return the squares, cards or tasks of a mask, in ascending order.

    >>> [NAMES[square] for square in bits(named(["c4", "b4", "e1"]))]
    ['b4', 'c4', 'e1']
    """
    found: list[int] = []
    if IS_COMPILED:
        _add_words(members, _NUMBERS, found)
        return found
    while members:
        bit = members.bit_length() - 1
        found.append(bit)
        members ^= _ONE[bit]
    found.reverse()
    return found


def add_bits(squares: int, table: list[Item], found: list[Item]) -> None:
    """Append a table's entries for the few squares of a mask, in the order of their names.

    The items may be of any type, so that compiled code does not unpack and pack numbers again.
    """
    if IS_COMPILED:
        _add_words(squares, table, found)
        return
    while squares:
        lowest = squares & -squares
        found.append(table[lowest.bit_length() - 1])
        squares ^= lowest


def listed(squares: int, table: list[Item]) -> list[Item]:
    """Return a table's entries for the squares of a mask, in the order of their names."""
    found: list[Item] = []
    if IS_COMPILED:
        _add_words(squares, table, found)
    else:
        _add_files(squares, table, found)
    return found


def listed_words(low: i64, high: i64, table: list[Item]) -> list[Item]:
    """Return what `listed` does, for a mask in two words."""
    found: list[Item] = []
    _add_word(low, 0, table, found)
    _add_word(high, WORD, table, found)
    return found


def _add_words(squares: int, table: list[Item], found: list[Item]) -> None:
    first = 0
    while squares:
        _add_word(squares & LOW_WORD, first, table, found)
        squares >>= WORD
        first += WORD


def _add_word(word: i64, first: i64, table: list[Item], found: list[Item]) -> None:
    while word:
        lowest: i64 = word & -word
        found.append(table[first + count_bits(lowest - 1)])
        word ^= lowest


def _add_files(squares: int, table: list[Item], found: list[Item]) -> None:
    base = 0
    while squares:
        for rank in _RANKS_OF[squares & 511]:
            found.append(table[base + rank])  # noqa: PERF401  # a list costs more for a few
        squares >>= SIDE
        base += SIDE


def nth_square(squares: int, n: int) -> int:
    """Return the square at this index of a mask, in the order of their names.

    >>> NAMES[nth_square(named(["c4", "b4", "e1"]), 1)]
    'c4'
    """
    base, part = 0, squares & LOW_WORD
    ranks = _RANKS_OF[part & 511]
    while n >= len(ranks):
        n -= len(ranks)
        base += SIDE
        part = part >> SIDE if base != WORD else squares >> WORD
        ranks = _RANKS_OF[part & 511]
    return base + ranks[n]


def shifted(square: int, dx: int, dy: int) -> int:
    """Return the square this many files and ranks away, or -1 if there is none."""
    file, rank = square // SIDE + dx, square % SIDE + dy
    if not (0 <= file < SIDE and 0 <= rank < SIDE):
        return -1
    square = file * SIDE + rank
    return square if NAMES[square] else -1


def _ray(square: int, direction: int) -> tuple[int, ...]:
    found: list[int] = []
    dx, dy = DELTAS[direction]
    while square >= 0:
        square = shifted(square, dx, dy)
        if square >= 0:
            found.append(square)
    return tuple(found)


def distance(one: int, other: int) -> int:
    """Return the fewest single moves between two squares."""
    return max(abs(one % SIDE - other % SIDE), abs(one // SIDE - other // SIDE))


ALL: Final[int] = mask(SQUARES)
RAYS: Final[tuple[tuple[tuple[int, ...], ...], ...]] = tuple(
    tuple(_ray(square, direction) if NAMES[square] else () for direction in range(EIGHT))
    for square in range(GRID)
)
"""By square and direction, the squares from the nearest to the edge."""
STEPS: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(ray[0] if ray else -1 for ray in rays) for rays in RAYS
)
"""By square and direction, the next square, or -1 beyond the edge."""
ORTHOGONAL: Final[tuple[int, ...]] = tuple(
    mask(square for square in steps[::2] if square >= 0) for steps in STEPS
)
DIAGONAL: Final[tuple[int, ...]] = tuple(
    mask(square for square in steps[1::2] if square >= 0) for steps in STEPS
)
ADJACENT: Final[tuple[int, ...]] = tuple(
    one | other for one, other in zip(ORTHOGONAL, DIAGONAL, strict=True)
)
DISTANCES: Final = 4
_LINES: Final = tuple(
    tuple(mask(range(max(0, rank - n), min(SIDE, rank + n + 1))) for n in range(DISTANCES))
    for rank in range(SIDE)
)


def _within(square: int, n: int) -> int:
    if not NAMES[square]:
        return 0
    line, file = _LINES[square % SIDE][n], square // SIDE
    files = range(max(0, file - n), min(SIDE, file + n + 1))
    return sum(line << SIDE * at for at in files) & ALL & ~(1 << square)


WITHIN: Final[tuple[tuple[int, ...], ...]] = tuple(
    tuple(_within(square, n) for square in range(GRID)) for n in range(DISTANCES)
)
"""By distance and square, the other squares within that distance."""
DIRECTION_OF: Final[dict[int, int]] = {
    dx * SIDE + dy: direction for direction, (dx, dy) in enumerate(DELTAS)
}
"""The direction of a move of one step, by the difference of its squares."""


def spread(squares: int) -> int:
    """Return the squares adjacent to any of these."""
    found = 0
    for square in bits(squares):
        found |= ADJACENT[square]
    return found


RED: Final[int] = named(RULES["red"])
GREEN: Final[int] = named(RULES["green"])
COLOURED: Final[int] = RED | GREEN
COLOURS: Final[dict[str, int]] = {"red": RED, "green": GREEN, "colored": COLOURED}
CENTRE: Final[int] = INDEX[RULES["center"]]
MARKED: Final[tuple[int, ...]] = tuple(INDEX[name] for name in RULES["marked"])
"""The squares of the first pieces in the Deathmatch Duel."""
