"""The realm of one match: the four boards as laid, and tables derived from them.

>>> realm = realm_of(("A1.0", "W1.0", "V1.0", "B1.0"))
>>> realm.codes[4]
['V:1W1*', 'V:6*', 'V:1B1*', 'B:1V2*', 'B:1Ws', 'B:2A1*']
"""

from __future__ import annotations

from pentathlon_engines.azure.board import (
    BIRD,
    BOARD_BITS,
    BOARDS,
    CELL_AT,
    CELLS,
    COLOURS,
    DIAGONAL,
    DRAGON,
    EDGE,
    GIFT_COST,
    HOME,
    MOUNTAINS,
    PER_BOARD,
    RULES,
    SIDE,
    TIGER,
    mask,
    walk,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    Layout = tuple[str, ...]

FACES: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    name: tuple(tuple(row.split()) for row in rows) for name, rows in RULES["faces"].items()
}
"""The codes of each face by row."""
ROTATIONS: Final = 4
BOARD_NAMES: Final[tuple[str, ...]] = tuple(
    [f"{face}.{turns}" for face in FACES for turns in range(ROTATIONS)]
)
"""The names of all faces in all rotations, in the order of the colours."""
_COLOUR_BIT: Final[dict[str, int]] = {name: 1 << COLOURS.index(name[0]) for name in BOARD_NAMES}
_MOUNTAIN: Final = "M"
_MOST_KEPT: Final = 64


class LaidBoard:
    """One rotated board; its cells are counted by row."""

    __slots__ = ("codes", "colour", "dear", "mountain", "printed", "serpents")

    def __init__(self, name: str) -> None:
        face, _, turns = name.partition(".")
        self.colour = COLOURS.index(face[0])
        self.codes = _turned(FACES[face], int(turns))
        self.printed = tuple([(self.colour, *_qi(code), _wisdom(code)) for code in self.codes])
        """For each cell: its domain, the colour and number of its qi symbols, and its wisdom."""
        self.mountain = self.codes.index(_MOUNTAIN)
        self.serpents = _where([code.endswith("s") for code in self.codes])
        self.dear = tuple([_dear(self.codes, extra) for extra in range(max(GIFT_COST) + 1)])
        """By extra cost, the masks of spaces that cost more than 0, 1, 2 ... cards, in one number.
        """


def _turned(face: tuple[tuple[str, ...], ...], turns: int) -> list[str]:
    """Return the codes of a face after clockwise quarter turns (5.2)."""
    codes = [""] * PER_BOARD
    for y, row in enumerate(face):
        for x, code in enumerate(row):
            column, line = x, y
            for _ in range(turns):
                column, line = EDGE - 1 - line, column
            codes[EDGE * line + column] = code
    return codes


def _dear(codes: list[str], extra: int) -> int:
    dear = 0
    for spot, code in enumerate(codes):
        if code != _MOUNTAIN:
            for cards in range(_qi(code)[1] + _wisdom(code) + extra):
                dear |= 1 << PER_BOARD * cards + spot
    return dear


def _qi(code: str) -> tuple[int, int]:
    """Return the colour and number of the qi symbols; azure if there are none."""
    if len(code) > 1 and code[1] in COLOURS:
        return COLOURS.index(code[1]), int(code[0])
    return 0, 0


def _wisdom(code: str) -> int:
    return int(code[-2]) if code.endswith("*") else 0


def _where(flags: list[bool]) -> int:
    """Return the positions of true values as bits."""
    return sum([1 << place for place, flag in enumerate(flags) if flag])


def _other_bits(extra: int) -> tuple[int, ...]:
    most = [0] * SIDE
    for rows in FACES.values():
        for y, row in enumerate(rows):
            for x, code in enumerate(row):
                off = _off_centre(x, y)
                most[off] = max(most[off], _qi(code)[1] + _wisdom(code))
    table = [0]
    for spot in range(PER_BOARD):
        levels = range(most[_off_centre(spot % EDGE, spot // EDGE)] + extra)
        column = sum([1 << PER_BOARD * level + spot for level in levels])
        table += [other | column for other in table]
    return tuple([~stacked for stacked in table])


def _off_centre(x: int, y: int) -> int:
    """Return a cell's distance from the centre of its board, which no rotation changes."""
    return abs(x - EDGE // 2) + abs(y - EDGE // 2)


OTHER_BITS: Final[tuple[tuple[int, ...], ...]] = tuple(
    [_other_bits(extra) for extra in range(max(GIFT_COST) + 1)]
)
"""By extra cost and part of a board, all bits of `LaidBoard.dear` but those of that part.

Levels that no board reaches are left out: without an extra cost, all fit a machine word.
"""


# Most matches have a layout of their own, but share boards and lines with other matches.
_kept_boards: Final[dict[str, LaidBoard]] = {}
_kept_lines: Final[dict[int, tuple[int, ...]]] = {}
_kept_realms: Final[dict[Layout, Realm]] = {}


def _board(name: str) -> LaidBoard:
    board = _kept_boards.get(name)
    if board is None:
        board = _kept_boards[name] = LaidBoard(name)
    return board


class Realm:
    """The tables derived from one layout, shared by all states of a match."""

    __slots__ = (
        "_across",
        "_down",
        "boards",
        "guards",
        "layout",
        "peaks",
        "pieces",
        "shifts",
        "spaces",
    )

    def lay(self, layout: Layout) -> None:
        """Lay the boards: find the peaks, lines, and where stones guard each mountain (8.3)."""
        self.layout = layout
        self.pieces: list[list[bytes]] = []
        """The cells as numbers, once `encoding.py` has made them."""
        boards = [_board(name) for name in layout]
        self.boards = boards
        first, second, third, fourth = boards
        self.shifts = (4 * first.colour, 4 * second.colour, 4 * third.colour, 4 * fourth.colour)
        """For each board, the offset in a card set of the colour that pays for its spaces."""
        self.spaces = serpents = bird = shift = 0
        peaks = [0, 0, 0, 0]
        for board in boards:
            spaces = (BOARD_BITS ^ 1 << board.mountain) << shift
            self.spaces |= spaces
            serpents |= board.serpents << shift
            peaks[board.colour] = CELL_AT[shift + board.mountain]
            if board.colour == MOUNTAINS[BIRD]:
                bird = spaces
            shift += PER_BOARD
        self.peaks = peaks
        """The cell of the mountain of each colour."""
        a, b, c, d = [peaks[board.colour] for board in boards]
        self._across = _lines_of(0, a, b) + _lines_of(1, c, d)
        self._down = _lines_of(2, a, c) + _lines_of(3, b, d)
        dragon, tiger = peaks[MOUNTAINS[DRAGON]], peaks[MOUNTAINS[TIGER]]
        self.guards = (serpents, self.line(dragon), self.line(tiger), bird)

    @property
    def codes(self) -> list[list[str]]:
        """The print of each cell, by row, prefixed with the letter of its domain."""
        codes = [self._code(cell) for cell in range(len(CELLS))]
        return [codes[row : row + SIDE] for row in range(0, len(CELLS), SIDE)]

    def _code(self, cell: int) -> str:
        board = self.boards[HOME[cell] // PER_BOARD]
        return f"{COLOURS[board.colour]}:{board.codes[HOME[cell] % PER_BOARD]}"

    def printed(self, cell: int) -> tuple[int, int, int, int]:
        """Return the domain of a cell, colour and number of its qi symbols, and its wisdom."""
        home = HOME[cell]
        return self.boards[home // PER_BOARD].printed[home % PER_BOARD]

    def line(self, cell: int) -> int:
        """Return the cells in line with a cell, up to and including the first mountain (5.3)."""
        return self._across[cell] | self._down[_TURNED[cell]]

    def diagonal(self, cell: int) -> int:
        """Return the cells on the diagonals of a cell, up to the first mountains."""
        return _seen(cell, DIAGONAL, self.peaks)


_TURNED: Final[tuple[int, ...]] = tuple([x * SIDE + y for y in range(SIDE) for x in range(SIDE)])
"""The number of each cell when counted by column."""
_HALF: Final = SIDE * EDGE
_HALVES: Final[tuple[tuple[int, ...], ...]] = (
    tuple(range(_HALF)),
    tuple(range(_HALF, 2 * _HALF)),
    _TURNED[:_HALF],
    _TURNED[_HALF:],
)
"""The cells of the upper and lower half by row, then of the left and right half by column."""


def _lines_of(half: int, peak: int, other: int) -> tuple[int, ...]:
    """Return for each cell of a half with two mountains the cells in line with it (5.3)."""
    key = (half * len(CELLS) + peak) * len(CELLS) + other
    lines = _kept_lines.get(key)
    if lines is None:
        directions = ((1, 0), (-1, 0)) if half < len(_HALVES) // 2 else ((0, 1), (0, -1))
        lines = tuple([_seen(cell, directions, [peak, other]) for cell in _HALVES[half]])
        _kept_lines[key] = lines
    return lines


def _seen(cell: int, directions: tuple[tuple[int, int], ...], peaks: list[int]) -> int:
    """Return the cells in these directions, up to and including the first mountain in each."""
    seen = []
    for dx, dy in directions:
        for other in walk(cell, dx, dy):
            seen.append(other)
            if other in peaks:
                break
    return mask(seen)


NOT_LAID: Final = Realm()
"""A placeholder without tables until the boards are laid."""


def realm_of(layout: Layout) -> Realm:
    """Return the realm of a checked layout; recent ones are cached."""
    realm = _kept_realms.get(layout)
    if realm is None:
        if len(_kept_realms) >= _MOST_KEPT:
            _kept_realms.clear()
        realm = _kept_realms[layout] = Realm()
        realm.lay(layout)
    return realm


def is_layout(boards: list[str]) -> bool:
    """Return whether these are four boards of all colours, each as `<face>.<rotation>`.

    >>> is_layout(["B1.1", "V2.3", "A2.2", "W1.0"]), is_layout(["B1.1", "V2.3", "A2.2", "A1.0"])
    (True, False)
    """
    colours = 0
    for board in boards:
        colours |= _COLOUR_BIT.get(board, 0)
    return len(boards) == BOARDS and colours == (1 << len(COLOURS)) - 1
