"""Patterns of beings as masks, one shape for each way to turn or mirror them (7.2).

A shape fits around a square if pieces fill all of its cells, which the rules page calls a match.
The fits around all squares are found at once; `stencils.py` says how.
"""

from __future__ import annotations

from pentathlon_engines.errors import EngineError
from pentathlon_engines.tash_kalar.board import (
    ALL,
    BIT,
    DELTAS,
    DIRECTIONS,
    RAYS,
    SIDE,
    SQUARES,
    WORD,
    mask,
    shifted,
)
from pentathlon_engines.tash_kalar.cards.stencils import (
    HIGH,
    LOW,
    WIDEST,
    Stencil,
    Strip,
    join_windows,
    lay,
    lay_with_enemy,
)

RANKS: Final = ("common", "heroic", "legendary")
COMMON: Final = 0
HEROIC: Final = 1
LEGENDARY: Final = 2
ORIENTATIONS: Final = ("r0", "r90", "r180", "r270", "m0", "m90", "m180", "m270")
REFS: Final = ("none", "marked", "directions", "used")
_ANYWHERE: Final = "empty_colorless"
_SUMMON_ON: Final = ("", _ANYWHERE)
_LETTERS: Final = {"c": COMMON, "h": HEROIC}
_QUARTERS: Final = 4
MOST_VOIDS: Final = 2
"""The number of empty squares that can serve as commons after a Void Summoner."""
_LIFT: Final = 40
"""Masks are raised by this many bits before shifts, so that no shift is negative."""


class BadCard(EngineError):
    """A card that cannot be played as its file describes it; the message names the card."""

    code = "bad_card"

    def __init__(self, card: str, problem: str) -> None:
        super().__init__(f"{card}: {problem}")
        self.card = card


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64

    Cell = tuple[int, int]


class Shape:
    """A pattern in one orientation."""

    __slots__ = (
        "_around",
        "_cells",
        "_stencil",
        "_ways",
        "commons",
        "directions",
        "heroics",
        "marks",
        "more_marks",
        "name",
        "valid",
    )

    def __init__(
        self, orientation: int, cells: list[tuple[Cell, int]], marks: list[Cell], arrows: list[int]
    ) -> None:
        self.name = orientation
        self._cells: tuple[Cell, ...] = tuple(cell for cell, _ in cells)
        self._around = sum([1 << _LIFT + dx * SIDE + dy for dx, dy in self._cells])
        """The mask of the cells around the square `_LIFT`."""
        self.marks: tuple[Cell, ...] = tuple(marks)
        self.more_marks: tuple[Cell, ...] = ()
        """The cells with a double mark."""
        self.directions: tuple[int, ...] = tuple(sorted(arrows))
        valid = ALL
        for cell in self._cells:
            valid &= _around(cell)
        self.valid: int = valid
        """The summon squares for which all cells are on the board."""
        self.commons: list[int] = _ways(cells, COMMON)
        self.heroics: list[int] = _ways(cells, HEROIC)
        """The offsets of cells from the summon square: `commons` for any piece, these for upgraded
        ones."""
        self._ways: list[int] = [*self.commons, *self.heroics]
        self._stencil: Stencil | None = None

    @property
    def stencil(self) -> Stencil:
        """The stencil that finds where the shape fits."""
        if self._stencil is None:
            reach = max([0, *[dx for dx, _ in self._cells]])
            self._stencil = Stencil(self.commons, self.heroics, self.valid, reach)
        return self._stencil

    def cells_at(self, square: int) -> int:
        """Return the mask of the pattern's cells around a summon square."""
        return self._around << square >> _LIFT

    def words_at(self, square: int) -> tuple[i64, i64]:
        """Return `cells_at` in words, for a square around which all cells are filled."""
        low: i64 = 0
        high: i64 = 0
        for way in self._ways:
            at: i64 = square + way
            bit: i64 = 1  # the C compiler would shift a constant in 32 bits
            if at < WORD:
                bit <<= at
                low |= bit
            else:
                bit <<= at - WORD
                high |= bit
        return low, high

    def reflected(self, square: int, other: int) -> int:
        """Return the reflection of a square across the line of the cells, -1 beyond the board."""
        dx, dy = other // SIDE - square // SIDE, other % SIDE - square % SIDE
        upright = all(x == 0 for x, _ in self._cells)
        return shifted(square, -dx, dy) if upright else shifted(square, dx, -dy)

    def with_empty(self, own: int, upgraded: int, empty: int) -> list[int]:
        """Return the summon squares with at most zero, one and two empty cells (18.3.7)."""
        own, upgraded, empty = own << _LIFT, upgraded << _LIFT, empty << _LIFT
        found = [self.valid] * (MOST_VOIDS + 1)
        for way in self.heroics:
            found = [squares & upgraded >> _LIFT + way for squares in found]
        for way in self.commons:
            here, free = own >> _LIFT + way, empty >> _LIFT + way
            for voids in range(MOST_VOIDS, 0, -1):
                found[voids] = (found[voids] & here) | (found[voids - 1] & free)
            found[0] &= here
        return found

    def marks_at(self, square: int) -> int:
        """Return the mask of the marked squares that are on the board."""
        return _on_board(square, self.marks)

    def more_marks_at(self, square: int) -> int:
        """Return the mask of the twice-marked squares that are on the board."""
        return _on_board(square, self.more_marks)

    def rays_at(self, square: int) -> int:
        """Return the mask of all squares in the indicated directions."""
        found = 0
        for direction in self.directions:
            for at in RAYS[square][direction]:
                found |= BIT[at]
        return found


def _on_board(square: int, cells: tuple[Cell, ...]) -> int:
    found = 0
    for dx, dy in cells:
        at = shifted(square, dx, dy)
        if at >= 0:
            found |= BIT[at]
    return found


class Pattern:
    """The pieces required around a summon square, in every distinct orientation.

    Shapes and everything made from them are made when first asked for: a bot would wait for those
    of all cards, and sees few cards in a match.
    """

    __slots__ = (
        "_grid",
        "_shapes",
        "anywhere",
        "heroics",
        "made",
        "pieces",
        "rank",
        "refs",
        "requires",
        "stencils",
        "tables",
    )

    heroics: i64
    pieces: i64
    """The number of pieces around the summon square; `heroics` is that of upgraded ones."""
    requires: i64
    """The minimum rank of an own piece on the summon square, or -1 if none is needed."""
    rank: i64
    """The rank of the being; -1 until it is known."""
    tables: i64
    """The number of tables of summonings: one for each shape, or one for all."""

    def __init__(self, grid: _Grid, *, refs: bool, anywhere: bool) -> None:
        self._grid = grid
        self._shapes: tuple[Shape, ...] = ()
        self.rank = -1
        self.tables = 0
        self.stencils: list[Stencil] = []
        """The stencils of all shapes, once they are made; for compiled code only."""
        self.made: Strip | None = None
        """The strip, once it is made; hot code saves itself the call of the property."""
        self.heroics = len(_ways(grid.cells, HEROIC))
        self.pieces = len(grid.cells)
        self.requires = grid.requires
        self.refs = refs
        """Whether the effect refers to the way the pattern fits, so that players choose an
        orientation (7.8)."""
        self.anywhere = anywhere
        """Whether the being may stand on any empty square without a colour; the squares of the
        pattern are then counted from one of its cells (18.3)."""

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The pattern in every distinct orientation."""
        if not self._shapes:
            self._shapes = tuple(_shapes_of(self._grid))
        return self._shapes

    def make_stencils(self) -> None:
        """Make the stencils of all shapes, and count the tables."""
        self.tables = len(self.shapes) if self.refs else 1
        self.stencils = [shape.stencil for shape in self.shapes]

    @property
    def strip(self) -> Strip:
        """All shapes in one number."""
        if self.made is None:
            self.made = Strip(
                [(shape.commons, shape.heroics, shape.valid) for shape in self.shapes]
            )
        return self.made


_SEEN: Final[dict[tuple[int, int], int]] = {}


def _around(cell: Cell) -> int:
    """Return the squares around which this cell is on the board, counted once."""
    if cell not in _SEEN:
        dx, dy = cell
        _SEEN[cell] = mask(square for square in SQUARES if shifted(square, dx, dy) >= 0)
    return _SEEN[cell]


def _ways(cells: list[tuple[Cell, int]], rank: int) -> list[int]:
    """Return the offsets of the cells for a rank from the summon square."""
    return [dx * SIDE + dy for (dx, dy), least in cells if least == rank]


def matches(shape: Shape, own: int, upgraded: int) -> int:
    """Return the summon squares where a shape fits masks of own and of own upgraded pieces."""
    stencil = shape.stencil
    found = lay(stencil, stencil.low_places, own & LOW, upgraded & LOW)
    if not HIGH:
        return found
    return join_windows(found, lay(stencil, stencil.high_places, own >> HIGH, upgraded >> HIGH))


def matches_with_enemy(
    shape: Shape, own: tuple[int, int], enemy: tuple[int, int]
) -> tuple[int, int]:
    """Return the summon squares with own pieces only, and with an enemy piece in one cell (7.6).

    For both sides, masks of all pieces and of the upgraded ones are given.
    """
    mine, theirs = (own[0] & LOW, own[1] & LOW), (enemy[0] & LOW, enemy[1] & LOW)
    stencil = shape.stencil
    pure, mixed = lay_with_enemy(stencil, stencil.low_places, mine, theirs)
    if not HIGH:
        return pure, mixed
    mine, theirs = (own[0] >> HIGH, own[1] >> HIGH), (enemy[0] >> HIGH, enemy[1] >> HIGH)
    more_pure, more_mixed = lay_with_enemy(stencil, stencil.high_places, mine, theirs)
    return join_windows(pure, more_pure), join_windows(mixed, more_mixed)


def compile_pattern(card: str, rows: list[str], *, refs: str, summon_on: str = "") -> Pattern:
    """Return the pattern drawn in these rows, or raise `BadCard`."""
    if refs not in REFS:
        raise BadCard(card, f"refs must be one of {', '.join(REFS)}, not {refs!r}")
    if summon_on not in _SUMMON_ON:
        raise BadCard(card, f"summon_on must be {_ANYWHERE} or left out, not {summon_on!r}")
    anywhere = summon_on == _ANYWHERE
    grid = _Grid(card, rows, anywhere=anywhere)
    return Pattern(grid, refs=refs != "none", anywhere=anywhere)


def _shapes_of(grid: _Grid) -> list[Shape]:
    """Return the distinct rotations and reflections of a pattern."""
    shapes: list[Shape] = []
    seen: set[tuple[frozenset[tuple[Cell, int]], ...]] = set()
    for orientation in range(len(ORIENTATIONS)):
        cells = [(turned(cell, orientation), least) for cell, least in grid.cells]
        marks = [turned(cell, orientation) for cell in grid.marks]
        more = [turned(cell, orientation) for cell in grid.more_marks]
        arrows = [DELTAS.index(turned(cell, orientation)) for cell in grid.arrows]
        looks = (
            frozenset(cells),
            frozenset((cell, 0) for cell in marks),
            frozenset((cell, 0) for cell in more),
            frozenset((DELTAS[arrow], 0) for arrow in arrows),
        )
        if looks not in seen:
            seen.add(looks)
            shapes.append(Shape(orientation, cells, marks, arrows))
            shapes[-1].more_marks = tuple(more)
    return shapes


def turned(cell: Cell, orientation: int) -> Cell:
    """Return a cell mirrored left-right if the orientation says so, then turned clockwise."""
    dx, dy = cell
    if orientation >= _QUARTERS:
        dx = -dx
    for _ in range(orientation % _QUARTERS):
        dx, dy = dy, -dx
    return dx, dy


class _Grid:
    """A pattern as it is drawn: cells, marks and arrows, counted from the summon square.

    If the being may stand anywhere there is no such square, and the first cell takes its place.
    """

    def __init__(self, card: str, rows: list[str], *, anywhere: bool) -> None:
        tokens = [
            (column, -row, token)
            for row, line in enumerate(rows)
            for column, token in enumerate(line.split())
        ]
        summons = [(x, y, token) for x, y, token in tokens if token.startswith("@")]
        if len(summons) != (0 if anywhere else 1):
            raise BadCard(card, f"its pattern has {len(summons)} summon cells, not one")
        if anywhere:
            summons = [(x, y, "@") for x, y, token in tokens if token in _LETTERS]
        x0, y0, token = summons[0]
        need = token[1:].rstrip("*")
        if need and need not in _LETTERS:
            raise BadCard(card, f"its pattern has an unknown token {token!r}")
        self.requires = _LETTERS[need] if need else -1
        self.cells: list[tuple[Cell, int]] = []
        self.marks: list[Cell] = []
        self.more_marks: list[Cell] = []
        self.arrows: list[Cell] = []
        for x, y, token in tokens:
            self._read(card, (x - x0, y - y0), token)
        self._check_size(card)

    def _check_size(self, card: str) -> None:
        """Refuse a pattern that no stencil can represent."""
        if not self.cells:
            raise BadCard(card, "its pattern has no pieces")
        for places in zip((0, 0), *[cell for cell, _ in self.cells], strict=True):
            if max(places) - min(places) >= WIDEST:
                raise BadCard(card, f"its pattern is wider than {WIDEST} squares")

    def _read(self, card: str, cell: Cell, token: str) -> None:
        letter = token.rstrip("*")
        stars = len(token) - len(letter)
        if stars == 1:
            self.marks.append(cell)
        elif stars:
            self.more_marks.append(cell)
        if letter in _LETTERS:
            self.cells.append((cell, _LETTERS[letter]))
        elif letter[:1] == ">" and letter[1:] in DIRECTIONS:
            self.arrows.append(DELTAS[DIRECTIONS.index(letter[1:])])
        elif letter not in ("", ".") and not letter.startswith("@"):
            raise BadCard(card, f"its pattern has an unknown token {token!r}")
