"""Constants of Azure: numbers of the game, phases, cells and cards.

Cells are numbered 0 to 35 in the order a1, b1, ... f1, a2, ... A set of cells is a mask, in which
each cell has the bit of its `HOME`: nine bits per board, starting with the top left one, by row.
So all bits of a domain, whose spaces are paid in one colour, lie together.

Colours are 0 azure, 1 white, 2 vermillion, 3 black. A set of cards is one number with four bits
per colour, as no colour has more than fifteen.
"""

from __future__ import annotations

from pentathlon_engines.light_json import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

RULES: Final[dict[str, Any]] = read_data(__file__, "rules.json")  # JSON

COLOURS: Final = "".join(colour["letter"] for colour in RULES["colours"])
CARDS_EACH: Final[int] = RULES["cards_per_colour"]
HIDDEN_EACH: Final[int] = RULES["hidden_per_colour"]
START_HANDS: Final[tuple[int, ...]] = tuple(RULES["start_hands"])
RESHUFFLE_EACH: Final[int] = RULES["reshuffle_per_colour"]
COMMON_STONES: Final[int] = RULES["common_stones"]
GOAL: Final[int] = RULES["goal"]
GUARDS_NEEDED: Final[int] = RULES["guards_needed"]

BEASTS: Final[tuple[str, ...]] = tuple(beast["name"] for beast in RULES["beasts"])
TORTOISE: Final = 0
DRAGON: Final = 1
TIGER: Final = 2
BIRD: Final = 3
BEAST_WISDOM: Final[tuple[int, ...]] = tuple(beast.get("wisdom", 0) for beast in RULES["beasts"])
BIRD_CARDS: Final[int] = RULES["beasts"][BIRD]["cards"]
MOUNTAINS: Final[tuple[int, ...]] = tuple(
    COLOURS.index(beast["mountain"]) for beast in RULES["beasts"]
)
"""The colour of each beast's mountain."""

NO_GIFT: Final = 0
MIGHTY: Final = 1
PERCEPTIVE: Final = 2
BOUNTIFUL: Final = 3
FAVORED: Final = 4
GIFTS: Final[tuple[str, ...]] = ("none", *(gift["name"] for gift in RULES["gifted"]))
GIFT_COST: Final[tuple[int, ...]] = (0, *(gift["extra_cost"] for gift in RULES["gifted"]))

SIDE: Final[int] = RULES["boards_per_side"] * RULES["cells_per_board_side"]
COLUMNS: Final = "abcdef"[:SIDE]
ROWS: Final = "123456"[:SIDE]
CELLS: Final[tuple[str, ...]] = tuple(column + row for row in ROWS for column in COLUMNS)


def walk(cell: int, dx: int, dy: int) -> list[int]:
    """Return the cells from a cell to the edge in one direction, without the cell itself.

    >>> [CELLS[cell] for cell in walk(CELLS.index("d2"), 1, -1)]
    ['e1']
    """
    x, y, found = cell % SIDE + dx, cell // SIDE + dy, []
    while 0 <= x < SIDE and 0 <= y < SIDE:
        found.append(y * SIDE + x)
        x, y = x + dx, y + dy
    return found


EDGE: Final[int] = RULES["cells_per_board_side"]
BOARDS: Final[int] = RULES["boards_per_side"] ** 2
# Written out for the compiler: masks are made for boards of three by three cells.
PER_BOARD: Final = 9
BOARD_BITS: Final = 511


def _home(cell: int) -> int:
    x, y = cell % SIDE, cell // SIDE
    return PER_BOARD * (y // EDGE * 2 + x // EDGE) + EDGE * (y % EDGE) + x % EDGE


HOME: Final[tuple[int, ...]] = tuple([_home(cell) for cell in range(len(CELLS))])
CELL_AT: Final[tuple[int, ...]] = tuple([HOME.index(home) for home in range(len(CELLS))])
"""The cell of each home."""


def mask(cells: Iterable[int]) -> int:
    """Return a set of cells as a mask."""
    return sum([1 << HOME[cell] for cell in cells])


STRAIGHT: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL: Final = ((1, 1), (1, -1), (-1, 1), (-1, -1))
NEAR: Final[tuple[int, ...]] = tuple(
    mask(cell for dx, dy in (*STRAIGHT, *DIAGONAL) for cell in walk(middle, dx, dy)[:1])
    for middle in range(len(CELLS))
)
"""The mask of each cell's neighbours, at most eight."""


def _subsets(items: Iterable[int]) -> tuple[tuple[int, ...], ...]:
    """Return, for each mask, the items whose bits are set."""
    table: list[tuple[int, ...]] = [()]
    for item in items:
        table += [(*some, item) for some in table]
    return tuple(table)


SPOTS: Final[tuple[tuple[int, ...], ...]] = _subsets(range(PER_BOARD))
"""The numbers of the bits in each mask of one board."""
_APART: Final[tuple[int, ...]] = tuple(
    [sum([1 << spot // EDGE * SIDE + spot % EDGE for spot in spots]) for spots in SPOTS]
)
"""Each mask of one board, with its rows spaced as in the realm."""
_FIRST: Final = _subsets(range(9))
_SECOND: Final = _subsets(range(9, 18))
_THIRD: Final = _subsets(range(18, 27))
_FOURTH: Final = _subsets(range(27, 36))
"""`_FIRST` to `_FOURTH`: the cells of each subset of a quarter of the cells, in order."""


def cells_of(cells: int) -> list[int]:
    """Return the cells of a mask in their order.

    >>> [CELLS[cell] for cell in cells_of(mask([0, 3, 7, 35]))]
    ['a1', 'd1', 'b2', 'f6']
    """
    upper = _APART[cells & BOARD_BITS] | _APART[cells >> 9 & BOARD_BITS] << EDGE
    lower = _APART[cells >> 18 & BOARD_BITS] | _APART[cells >> 27] << EDGE
    first, second = _FIRST[upper & BOARD_BITS], _SECOND[upper >> 9]
    third, fourth = _THIRD[lower & BOARD_BITS], _FOURTH[lower >> 9]
    return [*first, *second, *third, *fourth]


def cell_at(cells: int, share: float) -> int:
    """Return the cell at this fraction of a mask's cells, from 0 to less than 1."""
    first = SPOTS[cells & BOARD_BITS]
    second = SPOTS[cells >> 9 & BOARD_BITS]
    third = SPOTS[cells >> 18 & BOARD_BITS]
    fourth = SPOTS[cells >> 27]
    upper = len(first) + len(second)
    pick = int(share * (upper + len(third) + len(fourth)))
    if pick < len(first):
        return CELL_AT[first[pick]]
    if pick < upper:
        return CELL_AT[9 + second[pick - len(first)]]
    if pick < upper + len(third):
        return CELL_AT[18 + third[pick - upper]]
    return CELL_AT[27 + fourth[pick - upper - len(third)]]


PHASES: Final = ("setup", "turn", "boon", "return", "reshuffle", "over")
SETUP: Final = 0
TURN: Final = 1
BOON: Final = 2
RETURNING: Final = 3
RESHUFFLE: Final = 4
OVER: Final = 5

ONE_OF_EACH: Final[int] = sum([1 << 4 * colour for colour in range(len(COLOURS))])
ALL_CARDS: Final[int] = sum(CARDS_EACH << 4 * colour for colour in range(len(COLOURS)))


def letters(cards: int) -> str:
    """Return a set of cards as letters in the order of the colours.

    >>> letters(pack("BWW"))
    'WWB'
    """
    return "".join(letter * (cards >> 4 * i & 15) for i, letter in enumerate(COLOURS))


def pack(text: str) -> int:
    """Return letters as a set of cards."""
    return sum([1 << 4 * COLOURS.index(letter) for letter in text])


def size(cards: int) -> int:
    """Return the number of cards in a set."""
    return (cards & 15) + (cards >> 4 & 15) + (cards >> 8 & 15) + (cards >> 12)


def without(known: int, cards: int) -> int:
    """Return the known cards of a hand after these cards have left it.

    >>> without(pack("AVV"), pack("AAV")) == pack("V")
    True
    """
    left = 0
    for shift in range(0, 4 * len(COLOURS), 4):
        more = (known >> shift & 15) - (cards >> shift & 15)
        if more > 0:
            left += more << shift
    return left
