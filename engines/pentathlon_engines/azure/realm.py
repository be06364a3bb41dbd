"""The realm of one match: the four boards as laid, and what follows from them.

>>> realm = realm_of(("A1.0", "W1.0", "V1.0", "B1.0"))
>>> realm.codes[4]
('V:1W1*', 'V:6*', 'V:1B1*', 'B:1V2*', 'B:1Ws', 'B:2A1*')
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
"""Each face of each board as it may lie, in the order of the colours."""
_COLOUR_BIT: Final[dict[str, int]] = {name: 1 << COLOURS.index(name[0]) for name in BOARD_NAMES}
_MOUNTAIN: Final = "M"
_MOST_KEPT: Final = 64


class Board:
    """One board as it is turned; its cells are counted by row."""

    __slots__ = ("codes", "colour", "dear", "mountain", "serpents")

    def __init__(self, name: str) -> None:
        face, _, turns = name.partition(".")
        self.colour = COLOURS.index(face[0])
        self.codes = _turned(FACES[face], int(turns))
        self.mountain = self.codes.index(_MOUNTAIN)
        self.serpents = _where([code.endswith("s") for code in self.codes])
        self.dear = tuple([_dear(self.codes, extra) for extra in range(max(GIFT_COST) + 1)])
        """For each extra cost the spaces that cost more than 0, 1, 2 ... cards, in a row."""


def _turned(face: tuple[tuple[str, ...], ...], turns: int) -> list[str]:
    """Return the codes of a face that is turned clockwise by quarters (5.2)."""
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
            for cards in range(_qi(code)[0] + _wisdom(code) + extra):
                dear |= 1 << PER_BOARD * cards + spot
    return dear


def _qi(code: str) -> tuple[int, int]:
    """Return number and colour of the qi symbols; the colour of none is azure."""
    if len(code) > 1 and code[1] in COLOURS:
        return int(code[0]), COLOURS.index(code[1])
    return 0, 0


def _wisdom(code: str) -> int:
    return int(code[-2]) if code.endswith("*") else 0


def _where(flags: list[bool]) -> int:
    """Return the places of what is true as bits."""
    return sum([1 << place for place, flag in enumerate(flags) if flag])


def _other_bits(extra: int) -> tuple[int, ...]:
    most = [0] * SIDE
    for rows in FACES.values():
        for y, row in enumerate(rows):
            for x, code in enumerate(row):
                off = _off_centre(x, y)
                most[off] = max(most[off], _qi(code)[0] + _wisdom(code))
    table = [0]
    for spot in range(PER_BOARD):
        levels = range(most[_off_centre(spot % EDGE, spot // EDGE)] + extra)
        column = sum([1 << PER_BOARD * level + spot for level in levels])
        table += [other | column for other in table]
    return tuple([~stacked for stacked in table])


def _off_centre(x: int, y: int) -> int:
    """Return how far from the centre of its board a cell is: no turn changes that."""
    return abs(x - EDGE // 2) + abs(y - EDGE // 2)


OTHER_BITS: Final[tuple[tuple[int, ...], ...]] = tuple(
    [_other_bits(extra) for extra in range(max(GIFT_COST) + 1)]
)
"""For each extra cost, by a part of a board: all but the bits of this part in `Board.dear`.

Levels that no board reaches are left out: for no extra cost all fit a machine word.
"""


class Half:
    """What is printed on two boards beside each other; cells are counted by row across both."""

    __slots__ = ("codes", "domain", "mountains", "qi", "qi_colour", "serpents", "wisdom")

    def __init__(self, left: Board, right: Board) -> None:
        codes: list[str] = []
        colours: list[int] = []
        for y in range(EDGE):
            for board in (left, right):
                codes += board.codes[EDGE * y : EDGE * (y + 1)]
                colours += [board.colour] * EDGE
        self.domain = tuple(colours)
        coded = [f"{COLOURS[at]}:{code}" for at, code in zip(colours, codes, strict=True)]
        self.codes = tuple([tuple(coded[SIDE * y : SIDE * (y + 1)]) for y in range(EDGE)])
        self.qi = tuple([_qi(code)[0] for code in codes])
        self.qi_colour = tuple([_qi(code)[1] for code in codes])
        self.wisdom = tuple([_wisdom(code) for code in codes])
        self.mountains = _where([code == _MOUNTAIN for code in codes])
        self.serpents = _where([code.endswith("s") for code in codes])


# Most matches have a layout of their own, but share its boards, halves and lines with others.
_kept_boards: dict[str, Board] = {}
_kept_halves: dict[tuple[str, str], Half] = {}
_kept_lines: dict[int, tuple[int, ...]] = {}
_kept_realms: dict[Layout, Realm] = {}


def _board(name: str) -> Board:
    board = _kept_boards.get(name)
    if board is None:
        board = _kept_boards[name] = Board(name)
    return board


def _half(left: str, right: str) -> Half:
    key = (left, right)
    half = _kept_halves.get(key)
    if half is None:
        half = _kept_halves[key] = Half(_board(left), _board(right))
    return half


class Realm:
    """Tables of one layout; all states of a match share them.

    All but `spaces` and `guards` are by cell; `mountains` and `serpents` have a bit for each cell.
    """

    __slots__ = (
        "_across",
        "_down",
        "boards",
        "codes",
        "domain",
        "guards",
        "layout",
        "mountains",
        "peaks",
        "qi",
        "qi_colour",
        "serpents",
        "shifts",
        "spaces",
        "wisdom",
    )

    def lay(self, layout: Layout) -> None:
        """Make the tables of this layout."""
        self.layout = layout
        first, second, third, fourth = layout
        self.boards = (_board(first), _board(second), _board(third), _board(fourth))
        colours = [4 * board.colour for board in self.boards]
        self.shifts = (colours[0], colours[1], colours[2], colours[3])
        """Where in a set of cards those begin that pay the spaces of each board."""
        upper, lower = _half(first, second), _half(third, fourth)
        self.codes = upper.codes + lower.codes
        self.domain = upper.domain + lower.domain
        self.qi = upper.qi + lower.qi
        self.qi_colour = upper.qi_colour + lower.qi_colour
        self.wisdom = upper.wisdom + lower.wisdom
        self.mountains = upper.mountains | lower.mountains << SIDE * EDGE
        self.serpents = upper.serpents | lower.serpents << SIDE * EDGE
        self._lay_domains()

    def _lay_domains(self) -> None:
        """Find the peaks, and for each beast where stones guard its mountain (8.3)."""
        peaks = [0, 0, 0, 0]
        self.spaces = serpents = bird = 0
        for place, board in enumerate(self.boards):
            shift = PER_BOARD * place
            spaces = (BOARD_BITS ^ 1 << board.mountain) << shift
            self.spaces |= spaces
            serpents |= board.serpents << shift
            peaks[board.colour] = CELL_AT[shift + board.mountain]
            if board.colour == MOUNTAINS[BIRD]:
                bird = spaces
        self.peaks = tuple(peaks)
        """The mountain of each colour."""
        self._lay_lines()
        dragon, tiger = peaks[MOUNTAINS[DRAGON]], peaks[MOUNTAINS[TIGER]]
        self.guards = (serpents, self.line(dragon), self.line(tiger), bird)

    def _lay_lines(self) -> None:
        first, second, third, fourth = [
            CELL_AT[PER_BOARD * place + board.mountain] for place, board in enumerate(self.boards)
        ]
        self._across = _lines_of(0, first, second) + _lines_of(1, third, fourth)
        self._down = _lines_of(2, first, third) + _lines_of(3, second, fourth)

    def line(self, cell: int) -> int:
        """Return what is in line with a cell: the first mountain is in it and ends it (5.3)."""
        return self._across[cell] | self._down[_TURNED[cell]]

    def diagonal(self, cell: int) -> int:
        """Return what lies on the diagonals of a cell, up to the first mountains."""
        return _seen(cell, DIAGONAL, self.mountains)


_TURNED: Final[tuple[int, ...]] = tuple([x * SIDE + y for y in range(SIDE) for x in range(SIDE)])
"""The number of each cell if cells are counted by column."""
_HALF: Final = SIDE * EDGE
_HALVES: Final[tuple[tuple[int, ...], ...]] = (
    tuple(range(_HALF)),
    tuple(range(_HALF, 2 * _HALF)),
    _TURNED[:_HALF],
    _TURNED[_HALF:],
)
"""The cells of the upper and lower half by row, then of the left and right one by column."""


def _lines_of(half: int, peak: int, other: int) -> tuple[int, ...]:
    """Return for the cells of a half with two mountains what is in line in its direction (5.3)."""
    key = (half * len(CELLS) + peak) * len(CELLS) + other
    lines = _kept_lines.get(key)
    if lines is None:
        directions = ((1, 0), (-1, 0)) if half < len(_HALVES) // 2 else ((0, 1), (0, -1))
        peaks = 1 << peak | 1 << other
        lines = tuple([_seen(cell, directions, peaks) for cell in _HALVES[half]])
        _kept_lines[key] = lines
    return lines


def _seen(cell: int, directions: tuple[tuple[int, int], ...], mountains: int) -> int:
    """Return what lies in some directions of a cell, the first mountains included."""
    seen = []
    for dx, dy in directions:
        for other in walk(cell, dx, dy):
            seen.append(other)
            if mountains >> other & 1:
                break
    return mask(seen)


NOT_LAID: Final = Realm()
"""Stands for the realm, without tables, until the boards are laid."""


def realm_of(layout: Layout) -> Realm:
    """Return the realm of a checked layout; the last ones are kept."""
    realm = _kept_realms.get(layout)
    if realm is None:
        if len(_kept_realms) >= _MOST_KEPT:
            _kept_realms.clear()
        realm = _kept_realms[layout] = Realm()
        realm.lay(layout)
    return realm


def is_layout(boards: list[str]) -> bool:
    """Say whether these are four boards of all colours, each as `<face>.<rotation>`.

    >>> is_layout(["B1.1", "V2.3", "A2.2", "W1.0"]), is_layout(["B1.1", "V2.3", "A2.2", "A1.0"])
    (True, False)
    """
    colours = 0
    for board in boards:
        colours |= _COLOUR_BIT.get(board, 0)
    return len(boards) == BOARDS and colours == (1 << len(COLOURS)) - 1
