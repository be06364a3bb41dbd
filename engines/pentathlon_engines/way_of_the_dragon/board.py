"""The five paths: how long they are and what their spaces count.

Position 0 of a path is its symbol, where nothing rests: a piece at 0 is off the board. Then come
the plain spaces, then the numbered ones.
"""

from __future__ import annotations

from pentathlon_engines.way_of_the_dragon.actions import MOST_SPACES, PATHS
from pentathlon_engines.way_of_the_dragon.dice import RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64


class Board:
    """Five paths of certain lengths; there is one object for each choice of lengths."""

    __slots__ = ("last", "plain", "points")

    def __init__(self, plain: tuple[int, ...]) -> None:
        self.plain = bytes(plain)
        """The last plain space of each path, which is also the number of its plain spaces."""
        self.points = [
            bytes(1 + plain[path]) + bytes(RULES["paths"][path]["numbers"])
            for path in range(PATHS)
        ]
        """The points of a piece, by path and position."""
        self.last = bytes(len(points) - 1 for points in self.points)
        """The last space of each path."""


_BOARDS: Final[dict[tuple[int, ...], Board]] = {}


def board_of(plain: tuple[int, ...]) -> Board:
    """Return the board with these numbers of plain spaces per path.

    >>> list(board_of((5, 5, 5, 3, 5)).last)
    [10, 10, 10, 8, 10]
    """
    if plain not in _BOARDS:
        _BOARDS[plain] = Board(plain)
    return _BOARDS[plain]


USUAL_PLAIN: Final[tuple[int, ...]] = tuple(path["plain_spaces"] for path in RULES["paths"])
LEAST_PLAIN: Final[int] = RULES["plain_spaces"]["least"]
MOST_PLAIN: Final[int] = RULES["plain_spaces"]["most"]
MOST_DEAD_PER_PATH: Final[int] = RULES["dead"]["most_per_path"]

DEAD: Final = 0
"""The phase in which chance places a dead piece."""
START: Final = 1
"""The phase in which chance draws the seat that begins."""
ROLL: Final = 2
"""The phase in which chance rolls the dice that are not kept."""
KEEPING: Final = 3
MOVING: Final = 4
EXTRA: Final = 5
OVER: Final = 6
PHASES: Final = ("dead", "start", "roll", "keep", "move", "extra", "over")

NOBODY: Final = -1

COLOURS: Final[tuple[str, ...]] = tuple(path["color"] for path in RULES["paths"])
"""The names of the colours. A colour is a number: that of the path of its element."""
_HOLDERS: Final[dict[str, str]] = RULES["powers"]
HAS_FEAR: Final = COLOURS.index(_HOLDERS["fear"])
HAS_REBIRTH: Final = COLOURS.index(_HOLDERS["rebirth"])
HAS_EYE: Final = COLOURS.index(_HOLDERS["eye"])
HAS_ANXIETY: Final = COLOURS.index(_HOLDERS["anxiety"])
HAS_DRAGON: Final = COLOURS.index(_HOLDERS["dragon"])

DRAW: Final = "draw"
"""The value of `start_seat` with which chance draws the seat that begins."""

_POSITIONS: Final = MOST_SPACES + 1
_STEP_BITS: Final = 11
"""Enough bits for a step, and few enough for the steps of all paths to fit in 64."""


def step_of(path: i64, origin: i64, target: i64) -> i64:
    """Return the step of a piece as one number above 0."""
    return (path * _POSITIONS + origin) * _POSITIONS + target


def join_steps(steps: i64, step: i64) -> i64:
    """Return steps with another one behind them, still one number."""
    return steps << _STEP_BITS | step


def steps_in(steps: i64) -> list[tuple[int, int, int]]:
    """Return path, origin and target of each step.

    >>> steps_in(join_steps(step_of(0, 3, 4), step_of(4, 17, 1)))
    [(0, 3, 4), (4, 17, 1)]
    """
    found: list[tuple[int, int, int]] = []
    while steps:
        step = steps & (1 << _STEP_BITS) - 1
        path, positions = divmod(step, _POSITIONS**2)
        found.append((path, *divmod(positions, _POSITIONS)))
        steps >>= _STEP_BITS
    return found[::-1]
