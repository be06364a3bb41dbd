"""Positions of Way of the Dragon as counts, which contain everything the rules depend on."""

from __future__ import annotations

from array import array

from pentathlon_engines.way_of_the_dragon.actions import MOST_SPACES, PATHS
from pentathlon_engines.way_of_the_dragon.board import COLOURS, NOBODY, PHASES
from pentathlon_engines.way_of_the_dragon.dice import COUNTS, DICE, FACES, REROLLS, RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonPosition

_CAP: Final[int] = RULES["turn_cap_per_player"]["most"]
_PHASES: Final[int] = len(PHASES)
_COLOURS: Final[int] = len(COLOURS)
_FACES: Final[int] = len(FACES)
_SPACES: Final[int] = PATHS * MOST_SPACES
"""The columns of pieces: one for each space of each path."""
_SIZES: Final = [
    seats * (3 + _COLOURS + _SPACES) + _PHASES + 4 + PATHS + _SPACES + 2 * _FACES + 1
    for seats in range(len(COLOURS) + 1)
]
"""The number of columns by the number of seats."""
_BYTE: Final = 255
_EMPTY: Final = [bytearray(size) for size in _SIZES]
_COUNTS: Final = [bytearray(counts) for counts in COUNTS]
# Where there may be more turns than a byte can count.
_WIDE_EMPTY: Final = [array("H", [0] * size) for size in _SIZES]
_WIDE_COUNTS: Final = [array("H", list(counts)) for counts in COUNTS]


def most(seats: int, options: dict[str, Any]) -> list[int]:
    """Return for each column the count that becomes 1."""
    turns = [options["turn_cap_per_player"] * seats, _CAP]
    pieces = [1] * (seats * (_COLOURS + _SPACES) + _SPACES + seats)
    dice = [DICE] * (2 * _FACES) + [REROLLS]
    return [1] * (2 * seats + _PHASES + 2) + turns + [MOST_SPACES] * PATHS + pieces + dice


def row(state: WayOfTheDragonPosition, seat: int) -> bytearray | array[int]:
    """Return what a seat sees: turn, options, paths, colours, pieces, dead pieces, dice."""
    if state.cap <= _BYTE:
        found = _EMPTY[state.seats][:]
        _fill(state, seat, found, _COUNTS)
        return found
    wide = _WIDE_EMPTY[state.seats][:]
    _fill(state, seat, wide, _WIDE_COUNTS)
    return wide


def _fill(state: WayOfTheDragonPosition, seat: i64, found: Any, counts: list[Any]) -> None:
    seats: i64 = state.seats
    if state.to_move is not None:
        found[(state.to_move - seat) % seats] = 1
    if state.turn_of != NOBODY:
        found[seats + (state.turn_of - seat) % seats] = 1
    at: i64 = 2 * seats
    found[at + state.phase] = 1
    at += _PHASES
    found[at] = state.powers
    found[at + 1] = state.immunity
    found[at + 2] = state.turn
    found[at + 3] = state.cap // seats
    at += 4
    for spaces in state.board.plain:
        found[at] = spaces
        at += 1
    _add_pieces(state, seat, found, at)
    at += seats * (_COLOURS + _SPACES)
    for dead in state.dead:
        for space in range(1, dead.bit_length()):
            if dead >> space & 1:
                found[at + space - 1] = 1
        at += MOST_SPACES
    for place in range(seats):
        if state.used >> (seat + place) % seats & 1:
            found[at + place] = 1
    at += seats
    found[at : at + _FACES] = counts[state.dice]
    at += _FACES
    found[at : at + _FACES] = counts[state.kept]
    found[at + _FACES] = state.rolls_left


def _add_pieces(state: WayOfTheDragonPosition, seat: i64, found: Any, first: i64) -> None:
    """Add the colour and the pieces of each seat, beginning with the one that looks."""
    seats: i64 = state.seats
    positions, colours = state.positions, state.colours
    at: i64 = first + seats * _COLOURS - 1
    other: i64
    path: i64
    space: i64
    for place in range(seats):
        other = (seat + place) % seats
        found[first + place * _COLOURS + colours[other]] = 1
        for path in range(PATHS):
            space = positions[other * PATHS + path]
            if space:
                found[at + space] = 1
            at += MOST_SPACES
