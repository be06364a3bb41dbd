"""The constants of Maatatahay: spaces, tiles, crystals and phases.

Spaces are numbers 0 to 24 in reading order (a1, b1, ... e1, a2, ...); a set of spaces is a mask
with one bit each. Directions are 0 north, 1 north-east, and so on clockwise; a face is half of
its direction. A tile on the map is one number: tile x 8 + face x 2 + owner. So is a pair: tile of
Balan x 16 + tile of Wazu.

Tables of small numbers are bytes, which compiled code reads without making an object.
"""

from __future__ import annotations

from pentathlon_engines.light_json import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

    from pentathlon_engines.contract.compiler import i64

RULES: Final[dict[str, Any]] = read_data(__file__, "rules.json")  # JSON

SIDE: Final[int] = RULES["side"]
COLUMNS: Final = "abcde"[:SIDE]
ROWS: Final = "12345"[:SIDE]
SPACES: Final[tuple[str, ...]] = tuple(column + row for row in ROWS for column in COLUMNS)
FULL: Final[int] = (1 << len(SPACES)) - 1
DIRECTIONS: Final = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
FACES: Final = "nesw"
_STEPS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


def mask(spaces: Iterable[int]) -> int:
    """Return a set of spaces as a mask."""
    return sum(1 << space for space in spaces)


def bits(spaces: i64) -> list[int]:
    """Return the spaces of a mask in reading order.

    >>> bits(0b10110)
    [1, 2, 4]
    """
    found: list[int] = []
    while spaces:
        low = spaces & -spaces
        found.append(SPACE_OF[low % 37])
        spaces ^= low
    return found


SPACE_OF: Final = bytes(
    next((space for space in range(len(SPACES)) if (1 << space) % 37 == remainder), 0)
    for remainder in range(37)
)
"""The space of a one-bit mask, by the mask's remainder modulo 37, unique to each space.

Compiled, this is much cheaper than the bit length of a number.
"""


def _beside(space: int, direction: int) -> list[int]:
    """Return the neighbour in a direction in a tuple, which is empty at the edge."""
    dx, dy = _STEPS[direction]
    x, y = space % SIDE + dx, space // SIDE + dy
    return [y * SIDE + x] if 0 <= x < SIDE and 0 <= y < SIDE else []


NEIGHBOURS: Final = [
    [near for way in (0, 2, 4, 6) for near in _beside(space, way)] for space in range(len(SPACES))
]
"""The two to four orthogonal neighbours of each space."""
NEAR: Final[tuple[int, ...]] = tuple(mask(spaces) for spaces in NEIGHBOURS)
DIAGONALS: Final = [
    [near for way in (1, 3, 5, 7) for near in _beside(space, way)] for space in range(len(SPACES))
]
AIMS: Final = [
    [near << 3 | (way + 4) % 8 for way in range(8) for near in _beside(space, way)]
    for space in range(len(SPACES))
]
"""For each space and each neighbour: neighbour x 8 + the direction from there to the space."""
_COLUMN: Final[int] = mask(range(0, len(SPACES), SIDE))
WEST: Final[int] = _COLUMN
EAST: Final[int] = _COLUMN << SIDE - 1
SOUTH: Final[int] = (1 << SIDE) - 1
NORTH: Final[int] = SOUTH << SIDE * (SIDE - 1)

_TILES: Final[list[dict[str, Any]]] = RULES["tiles"]
TRIBES: Final[tuple[str, ...]] = tuple(RULES["tribes"])
TILES: Final = len(_TILES)
NAMES: Final[tuple[str, ...]] = ("", *(tile["name"] for tile in _TILES))
ELDER: Final = 1
CONVERT: Final = 2
_SPECIALS: Final = (None, "elder", "convert")


def _arrows(tile: dict[str, Any], face: int) -> int:
    """Return the arrows of a tile as a mask of directions, turned clockwise with its face."""
    return mask((DIRECTIONS.index(arrow) + 2 * face) % 8 for arrow in tile["arrows"])


def _by_code(values: list[int]) -> bytes:
    """Return a table from each number that a tile may have on the map to the value of the tile."""
    return bytes(value for value in values for _ in range(8))


CLAWS: Final[tuple[int, ...]] = (0, *(tile["claws"] for tile in _TILES))
GEMS_OF: Final = _by_code([0, *(tile["gems"] for tile in _TILES)])
CLAWS_OF: Final = _by_code(list(CLAWS))
SPECIAL_OF: Final = _by_code([0, *(_SPECIALS.index(tile["special"]) for tile in _TILES)])
ARROWS_OF: Final = bytes(8) + bytes(
    _arrows(tile, face) for tile in _TILES for face in range(4) for _ in TRIBES
)


def pair_of(balan: int, wazu: int) -> int:
    """Return a pair as one number."""
    return balan << 4 | wazu


def tiles_of(pair: int) -> tuple[int, int]:
    """Return the tiles of a pair, Balan first.

    >>> tiles_of(pair_of(12, 3))
    (12, 3)
    """
    return pair >> 4, pair & 15


def _weaker(balan: int, wazu: int) -> int:
    return EVEN if CLAWS[balan] == CLAWS[wazu] else int(CLAWS[balan] > CLAWS[wazu])


EVEN: Final = 2
WEAKER: Final = bytes(
    _weaker(*tiles_of(pair)) if max(tiles_of(pair)) <= TILES else EVEN for pair in range(256)
)
"""For each pair, the seat whose tile has fewer claws, or EVEN (4.2)."""


SHRINES: Final[list[int]] = sorted(SPACES.index(name) for name in RULES["shrines"])
GROUND: Final[tuple[int, ...]] = tuple(RULES["ground_crystals"].get(name, 0) for name in SPACES)
MAP_ENERGY: Final[list[int]] = [RULES["map_energy"].get(name, 0) for name in SPACES]
BAG_SPIRIT: Final[int] = RULES["bag"]["spirit"]
BAG_ENERGY: Final[int] = RULES["bag"]["energy"]
SUPPLY_SPIRIT: Final[int] = RULES["supply"]["spirit"]
SUPPLY_ENERGY: Final[int] = RULES["supply"]["energy"]
CRYSTALS: Final = BAG_SPIRIT + BAG_ENERGY + SUPPLY_SPIRIT + SUPPLY_ENERGY
STREAM: Final[int] = RULES["stream_pairs"]
ROUNDS: Final[int] = RULES["rounds"]
STORAGE: Final[int] = RULES["storage_limit"]
COST: Final[int] = RULES["relic_cost"]["base"]
LEAST_COST: Final[int] = RULES["relic_cost"]["minimum"]
LEAST_SPIRIT: Final[int] = RULES["relic_cost"]["minimum_spirit"]
DISCOUNT: Final[int] = RULES["relic_cost"]["discount_per_adjacent_tile"]
DRAWS: Final[int] = RULES["relic_reward_draws"]
RELIC_POINTS: Final[tuple[int, ...]] = tuple(RULES["relic_points"])
TRACK_END: Final[int] = RULES["spirit_track_end"]
FREE_END: Final[int] = RULES["free_space_end"]

COSTS: Final = bytes(max(LEAST_COST, COST - DISCOUNT * tiles) for tiles in range(5))
"""The cost of a relic, by the number of tiles beside its shrine (5.3)."""
CROWDS: Final = tuple(
    sum(1 << 4 * i for i, shrine in enumerate(SHRINES) if space in NEIGHBOURS[shrine])
    for space in range(len(SPACES))
)
"""For each space, a count of one for each shrine beside it, in four bits each."""
MOST_STORED: Final[int] = STORAGE + max(DRAWS, *GROUND)
"""The most crystals a seat can have while it places a tile."""

PHASES: Final = ("setup", "pair", "order", "place", "face", "add", "settle", "over")
SETTING_UP: Final = 0
PAIRING: Final = 1
ORDERING: Final = 2
PLACING: Final = 3
FACING: Final = 4
ADDING: Final = 5
SETTLING: Final = 6
OVER: Final = 7
REASONS: Final = ("deaths", "space", "tiles")
