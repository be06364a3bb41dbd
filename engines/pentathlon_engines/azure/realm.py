"""The realm of one match: the four boards as laid, and what follows from them.

>>> realm = realm_of(("A1.0", "W1.0", "V1.0", "B1.0"))
>>> realm.codes[4]
('V:1W1*', 'V:6*', 'V:1B1*', 'B:1V2*', 'B:1Ws', 'B:2A1*')
"""

from __future__ import annotations

from pentathlon_engines.azure.board import (
    BIRD,
    CELLS,
    COLOURS,
    DRAGON,
    MOUNTAINS,
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
BOARDS: Final[int] = RULES["boards_per_side"] ** 2
_EDGE: Final[int] = RULES["cells_per_board_side"]
_MOUNTAIN: Final = "M"
_MOST_KEPT: Final = 64


def _qi(code: str) -> tuple[int, int]:
    """Return number and colour of the qi symbols; the colour of none is azure."""
    if len(code) > 1 and code[1] in COLOURS:
        return int(code[0]), COLOURS.index(code[1])
    return 0, 0


def _wisdom(code: str) -> int:
    return int(code[-2]) if code.endswith("*") else 0


def _rays(directions: tuple[tuple[int, int], ...]) -> tuple[tuple[int, ...], ...]:
    """Return for each cell what lies in each direction up to the edge."""
    return tuple(
        tuple(mask(walk(cell, dx, dy)) for dx, dy in directions) for cell in range(len(CELLS))
    )


_STRAIGHT: Final = _rays(((1, 0), (0, 1), (-1, 0), (0, -1)))
_DIAGONAL: Final = _rays(((1, 1), (-1, 1), (-1, -1), (1, -1)))
_CODES: Final = {code for face in FACES.values() for row in face for code in row}
_QI: Final = {code: _qi(code) for code in _CODES}
_WISDOM: Final = {code: _wisdom(code) for code in _CODES}

_kept: dict[Layout, Realm] = {}


class Realm:
    """Tables of one layout; all states of a match share them."""

    __slots__ = (
        "boons",
        "codes",
        "diagonal",
        "domain",
        "guards",
        "layout",
        "line",
        "mountains",
        "peaks",
        "qi",
        "qi_colour",
        "rows",
        "serpents",
        "spaces",
        "wisdom",
    )

    def lay(self, layout: Layout) -> None:
        """Make the tables of this layout."""
        self.layout = layout
        codes, self.domain = _lay(layout)
        self.codes = tuple(
            tuple(f"{COLOURS[self.domain[cell]]}:{codes[cell]}" for cell in _row(y))
            for y in range(SIDE)
        )
        self.qi = tuple(_QI[code][0] for code in codes)
        self.qi_colour = tuple(_QI[code][1] for code in codes)
        self.wisdom = tuple(_WISDOM[code] for code in codes)
        self.boons = tuple(qi + wisdom for qi, wisdom in zip(self.qi, self.wisdom, strict=True))
        self.serpents = mask(cell for cell, code in enumerate(codes) if code.endswith("s"))
        mountains = [cell for cell, code in enumerate(codes) if code == _MOUNTAIN]
        self.mountains = mask(mountains)
        self.peaks = tuple(sorted(mountains, key=lambda cell: self.domain[cell]))
        """The mountain of each colour."""
        self.spaces = tuple(cell for cell in range(len(CELLS)) if cell not in mountains)
        self.line = tuple(_reach(rays, self.mountains) for rays in _STRAIGHT)
        self.diagonal = tuple(_reach(rays, self.mountains) for rays in _DIAGONAL)
        self.guards = self._guards()
        self.rows = tuple(
            (cell, 1 << cell, self.line[cell], 4 * self.domain[cell], self.boons[cell])
            for cell in self.spaces
        )
        """What a search for payable spaces needs: cell, bit, line, shift of its colour, boons."""

    def _guards(self) -> tuple[int, ...]:
        """Return for each beast the cells on which stones guard its mountain (8.3)."""
        dragon, tiger = (self.line[self.peaks[MOUNTAINS[beast]]] for beast in (DRAGON, TIGER))
        bird = mask(cell for cell in self.spaces if self.domain[cell] == MOUNTAINS[BIRD])
        return self.serpents, dragon, tiger, bird


def _reach(rays: tuple[int, ...], mountains: int) -> int:
    """Return what is in line with a cell: the first mountain is in it and ends it (5.3).

    The first two rays go to higher cells, the others to lower ones.
    """
    reached = 0
    for ray in rays[:2]:
        hit = ray & mountains
        reached |= ray & ((hit & -hit) * 2 - 1) if hit else ray
    for ray in rays[2:]:
        hit = ray & mountains
        reached |= ray & -(1 << hit.bit_length() - 1) if hit else ray
    return reached


NOT_LAID: Final = Realm()
"""Stands for the realm, without tables, until the boards are laid."""


def realm_of(layout: Layout) -> Realm:
    """Return the realm of a checked layout; the last ones are kept."""
    realm = _kept.get(layout)
    if realm is None:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        realm = _kept[layout] = Realm()
        realm.lay(layout)
    return realm


def is_layout(boards: list[str]) -> bool:
    """Say whether these are four boards of all colours, each as `<face>.<rotation>`.

    >>> is_layout(["B1.1", "V2.3", "A2.2", "W1.0"]), is_layout(["B1.1", "V2.3", "A2.2", "A1.0"])
    (True, False)
    """
    known = {f"{face}.{turns}" for face in FACES for turns in range(ROTATIONS)}
    colours = {board[0] for board in boards if board in known}
    return len(boards) == len(colours) == BOARDS


def _lay(layout: Layout) -> tuple[list[str], tuple[int, ...]]:
    """Return code and colour of the domain of each cell."""
    codes, domain = [""] * len(CELLS), [0] * len(CELLS)
    for place, board in enumerate(layout):
        face, _, turns = board.partition(".")
        top, left = _EDGE * (place // (SIDE // _EDGE)), _EDGE * (place % (SIDE // _EDGE))
        for y, row in enumerate(FACES[face]):
            for x, code in enumerate(row):
                column, line = _turned(x, y, int(turns))
                cell = (top + line) * SIDE + left + column
                codes[cell], domain[cell] = code, COLOURS.index(face[0])
    return codes, tuple(domain)


def _turned(x: int, y: int, turns: int) -> tuple[int, int]:
    """Turn a place on a board clockwise by quarters (5.2)."""
    for _ in range(turns):
        x, y = _EDGE - 1 - y, x
    return x, y


def _row(y: int) -> range:
    return range(y * SIDE, (y + 1) * SIDE)
