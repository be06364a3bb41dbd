"""Shapes as stencils, which find all squares where a shape fits at once (7.2).

A stencil counts from its first cell, which may lie on any own piece. The mask of the pieces,
combined with itself shifted by the way to each other cell, leaves the places where all cells are
filled.

Compiled, masks are kept in machine words, and a word has room for seven of the nine files. So a
stencil is laid on two windows, the low files and the high ones; every pattern is narrow enough to
fit into one of them. In plain Python the low window is the whole arena, and a strip lays all
shapes of a pattern at once.
"""

from __future__ import annotations

from pentathlon_engines.contract.compiler import is_compiled
from pentathlon_engines.tash_kalar.board import SIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64


class Stencil:
    """A shape: ways to cells are differences of squares."""

    __slots__ = (
        "any1",
        "any2",
        "any3",
        "any4",
        "back",
        "begins_upgraded",
        "commons",
        "forth",
        "has_heroics",
        "heroic1",
        "heroic2",
        "heroic3",
        "heroics",
        "high_places",
        "low_places",
    )

    commons: tuple[int, ...]
    """The offsets from the first cell to the others."""
    heroics: tuple[int, ...]
    """The offsets from the first cell to the others that need an upgraded piece."""
    any1: i64
    any2: i64
    any3: i64
    any4: i64
    """`any1` to `any4`: the offsets in `commons`; unused ones are 0 and lead to the first cell."""
    heroic1: i64
    heroic2: i64
    heroic3: i64
    """The offsets of all cells that need an upgraded piece; unused ones repeat the first."""
    low_places: i64
    high_places: i64
    """The possible squares of the first cell in the low and the high window."""
    back: i64
    forth: i64
    """`back` or `forth` is the offset from the first cell to the summon square; the other is 0."""

    def __init__(self, commons: list[int], heroics: list[int], summons: int, reach: int) -> None:
        """Make a stencil for the ways from the summon square to the cells.

        `summons` has the possible summon squares; `reach` is the number of files beyond them that
        the pattern covers.
        """
        first = min([*commons, *heroics])
        self.begins_upgraded: bool = first in heroics
        self.commons = tuple([way - first for way in commons if way != first])
        self.heroics = tuple([way - first for way in heroics if way != first])
        self.any1, self.any2, self.any3, self.any4 = [*self.commons, 0, 0, 0, 0][:4]
        self.has_heroics: bool = len(heroics) > 0
        filled = [way - first for way in heroics] or [0]
        self.heroic1, self.heroic2, self.heroic3 = [*filled, filled[0], filled[0]][:3]
        self.back = max(first, 0)
        self.forth = max(-first, 0)
        low = summons & (1 << SIDE * (_FILES_SEEN - reach)) - 1
        self.low_places = low << self.back >> self.forth
        self.high_places = (summons ^ low) >> HIGH << self.back >> self.forth


def lay(stencil: Stencil, places: i64, own: i64, upgraded: i64) -> i64:
    """Return the summon squares in a window around which all cells of a stencil are filled."""
    found: i64 = places & own & own >> stencil.any1 & own >> stencil.any2
    found &= own >> stencil.any3 & own >> stencil.any4
    if not found:
        return 0
    if stencil.has_heroics:
        found &= _upgraded_at(stencil, upgraded)
    return found << stencil.forth >> stencil.back


def lay_all(
    stencils: list[Stencil], own: tuple[i64, i64], upgraded: tuple[i64, i64]
) -> tuple[i64, i64]:
    """Return the summon squares around which all cells of at least one stencil are filled.

    All masks consist of one word for each window.
    """
    low: i64 = own[0]
    high: i64 = own[1]
    all_low: i64 = 0
    all_high: i64 = 0
    for stencil in stencils:
        way: i64 = stencil.any1
        here: i64 = stencil.low_places & low & low >> way
        there: i64 = stencil.high_places & high & high >> way
        way = stencil.any2
        here &= low >> way
        there &= high >> way
        if not here | there:  # the usual case, which saves the rest
            continue
        if stencil.has_heroics:
            here &= _upgraded_at(stencil, upgraded[0])
            there &= _upgraded_at(stencil, upgraded[1])
        way = stencil.any3
        here &= low >> way
        there &= high >> way
        way = stencil.any4
        here &= low >> way
        there &= high >> way
        all_low |= here << stencil.forth >> stencil.back
        all_high |= there << stencil.forth >> stencil.back
    return all_low, all_high


def _upgraded_at(stencil: Stencil, upgraded: i64) -> i64:
    """Return the squares of the first cell for which all cells of heroics have upgraded pieces."""
    found: i64 = upgraded >> stencil.heroic1 & upgraded >> stencil.heroic2
    return found & upgraded >> stencil.heroic3


class Strip:
    """All shapes of a pattern in one long number, each in its own band (plain Python only).

    A product of the own pieces and a number with one bit for each band puts a copy of them into
    every band, shifted by the way to one cell of that band's shape. The bits that all these
    products share are the summon squares, so each cell of the pattern costs one product and one
    `and`.
    """

    __slots__ = ("_bands", "_folds", "_margin", "_width", "commons", "heroics", "places")

    def __init__(self, shapes: list[tuple[list[int], list[int], int]]) -> None:
        """Lay shapes beside each other: ways to commons, ways to heroics, summon squares."""
        ways = [way for commons, heroics, _ in shapes for way in (*commons, *heroics)]
        self._margin = max(0, *ways, -min(ways))
        """Wide enough that no copy reaches from its band into the next, so no product carries."""
        self._width = SIDE * SIDE + 2 * self._margin
        starts = [self._width * place + self._margin for place in range(len(shapes))]
        summons = [summons for _, _, summons in shapes]
        self.places = sum([at << start for at, start in zip(summons, starts, strict=True)])
        self.commons = _spread([commons for commons, _, _ in shapes], starts)
        self.heroics = _spread([heroics for _, heroics, _ in shapes], starts)
        self._folds: list[int] = []
        bands = self._bands = len(shapes)
        while bands > 1:
            bands = (bands + 1) // 2
            self._folds.append(self._width * bands)

    def lay(self, own: int, upgraded: int) -> int:
        """Return the summon squares around which all cells are filled, band by band."""
        found = self.places
        for copies in self.heroics:
            found &= upgraded * copies
        for copies in self.commons:
            found &= own * copies
            if not found:
                return 0
        return found

    def fold(self, found: int) -> int:
        """Return the squares of all bands together."""
        for fold in self._folds:
            found |= found >> fold
        return found >> self._margin & _GRID

    def bands_at(self, found: int, square: int) -> list[int]:
        """Return the bands whose squares include this one."""
        here = found >> self._margin + square
        return [band for band in range(self._bands) if here >> self._width * band & 1]

    def bands(self, found: int) -> list[int]:
        """Return the squares of each band."""
        found >>= self._margin
        bands: list[int] = []
        while found:
            bands.append(found & _GRID)
            found >>= self._width
        return bands


def _spread(ways: list[list[int]], starts: list[int]) -> tuple[int, ...]:
    """Return for each cell of a pattern the number that copies pieces into all bands."""
    return tuple(
        [
            sum([1 << start - way for way, start in zip(cell, starts, strict=True)])
            for cell in zip(*ways, strict=True)
        ]
    )


def lay_with_enemy(
    stencil: Stencil, places: i64, own: tuple[i64, i64], enemy: tuple[i64, i64]
) -> tuple[i64, i64]:
    """Return the summon squares with own pieces only, and with an enemy piece in one cell (7.6).

    For both sides, masks of all pieces and of the upgraded ones are given.
    """
    upgraded = stencil.begins_upgraded
    pure: i64 = places & (own[1] if upgraded else own[0])
    mixed: i64 = places & (enemy[1] if upgraded else enemy[0])
    way: i64
    for way in stencil.heroics:
        mixed = (mixed & own[1] >> way) | (pure & enemy[1] >> way)
        pure &= own[1] >> way
    for way in stencil.commons:
        mixed = (mixed & own[0] >> way) | (pure & enemy[0] >> way)
        pure &= own[0] >> way
    forth, back = stencil.forth, stencil.back
    return pure << forth >> back, mixed << forth >> back


_GRID: Final = (1 << SIDE * SIDE) - 1
_FILES_IN_WORD: Final = 7
_FILES_SEEN: Final = _FILES_IN_WORD if is_compiled(lay) else SIDE
SEEN: Final[int] = SIDE * _FILES_SEEN
"""The number of squares in each window."""
LOW: Final[int] = (1 << SEEN) - 1
"""The mask of squares that the low window sees."""
HIGH: Final[int] = SIDE * (SIDE - _FILES_SEEN)
"""The first square that the high window sees; 0 if there is none."""
WIDEST: Final = 2 * _FILES_IN_WORD - SIDE + 1
"""The most files of a pattern that fits into one of the windows, wherever it lies."""


def join_windows(low: int, high: int) -> int:
    """Return the masks of the low and the high window as one mask of the arena."""
    return low | high << HIGH
