"""Positions of Azure as numbers. Past events appear only as known cards of each hand."""

from __future__ import annotations

from pentathlon_engines.azure.board import (
    CARDS_EACH,
    CELLS,
    COLOURS,
    COMMON_STONES,
    GIFTS,
    GOAL,
    HOME,
    PHASES,
    TORTOISE,
    cells_of,
)
from pentathlon_engines.azure.board import (
    size as size_of,
)
from pentathlon_engines.encoding.pieces import choices, marks, shares

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.azure.realm import Realm
    from pentathlon_engines.azure.state import AzurePosition

_CARDS: Final = CARDS_EACH * len(COLOURS)
_MOST_QI: Final = 2
_MOST_WISDOM: Final = 7
_PRINT: Final = 2 * len(COLOURS) + 4
_SEATS: Final = choices(2)
_PHASES: Final = choices(len(PHASES))
_GIFTS: Final = choices(len(GIFTS))
_COLOURS: Final = choices(len(COLOURS))
_FLAGS: Final = marks(2)
_QI: Final = shares(_MOST_QI)
_WISDOM_OF: Final = shares(_MOST_WISDOM)
_ON_CELL: Final = marks(5)
"""What is on a cell: an own stone, another, an own gifted one, another, the boon."""
_MINE: Final = 1
_OTHER: Final = 2
_OF_COLOUR: Final = shares(CARDS_EACH, up_to=15)
_OF_COLOURS: Final = [_OF_COLOUR[pair & 15] + _OF_COLOUR[pair >> 4] for pair in range(256)]
"""Of two colours, by their part of a set of cards."""
_IN_ALL: Final = shares(_CARDS)
_SUPPLY: Final = shares(COMMON_STONES)
_WISDOM: Final = shares(GOAL)
_TURNS: Final = shares(2 * (COMMON_STONES + 1), up_to=len(CELLS) + 1)


def size(seats: int) -> int:
    """Return how many numbers there are."""
    cards = 4 * len(COLOURS) + 3
    return 2 + len(PHASES) + len(GIFTS) + len(CELLS) * (_PRINT + 5) + cards + 4 + 2 * 4 + 1


def encode(state: AzurePosition, seat: int, pieces: list[bytes]) -> None:
    """Add what a seat sees: turn, cells with stones, cards, supply, wisdom, beasts."""
    mine, other = state.sides[seat], state.sides[1 - seat]
    pieces += (
        _SEATS[-1 if state.to_move is None else state.to_move ^ seat],
        _PHASES[state.phase],
        _GIFTS[state.gift],
    )
    _add_cells(state, seat, pieces)
    _add_cards(mine.hand, pieces)
    _add_cards(mine.known, pieces)
    _add_cards(other.known, pieces)
    pieces += (
        _IN_ALL[size_of(mine.hand)],
        _IN_ALL[size_of(other.hand)],
        _IN_ALL[len(state.hidden)],
    )
    _add_cards(state.decks, pieces)
    pieces += (
        _SUPPLY[mine.supply],
        _SUPPLY[other.supply],
        _WISDOM[mine.wisdom],
        _WISDOM[other.wisdom],
    )
    pieces += [_SEATS[-1 if owner < 0 else owner ^ seat] for owner in state.beasts]
    pieces.append(_TURNS[state.turn])


def _add_cards(cards: int, pieces: list[bytes]) -> None:
    """Add the number of cards of each colour."""
    pieces += (_OF_COLOURS[cards & 255], _OF_COLOURS[cards >> 8])


def _add_cells(state: AzurePosition, seat: int, pieces: list[bytes]) -> None:
    mine, other, boon = state.sides[seat], state.sides[1 - seat], state.boon_at
    shown = state.realm.pieces
    if not shown:
        shown = state.realm.pieces = _prints(state.realm)
    cells = shown[0][:]
    with_mine, with_other = shown[_MINE], shown[_OTHER]
    for cell in cells_of(mine.stones):
        cells[cell] = with_mine[cell]
    for cell in cells_of(other.stones):
        cells[cell] = with_other[cell]
    for cell in (mine.gifted, other.gifted, boon):
        if cell >= 0:
            on = (mine.stones >> HOME[cell] & 1) + (other.stones >> HOME[cell] & 1) * _OTHER
            on += (cell == mine.gifted) * 4 + (cell == other.gifted) * 8 + (cell == boon) * 16
            cells[cell] = shown[-1][cell] + _ON_CELL[on]
    pieces += cells


def _prints(realm: Realm) -> list[list[bytes]]:
    """Return pieces by cell: with no stone, an own one, the other seat's; and the print alone."""
    prints = [_print(realm, cell) for cell in range(len(CELLS))]
    return [*([shown + _ON_CELL[on] for shown in prints] for on in (0, _MINE, _OTHER)), prints]


def _print(realm: Realm, cell: int) -> bytes:
    domain, colour, qi, wisdom = realm.printed(cell)
    flags = (cell in realm.peaks) + 2 * (realm.guards[TORTOISE] >> HOME[cell] & 1)
    shown = _COLOURS[domain] + _FLAGS[flags] + _COLOURS[colour if qi else -1]
    return shown + _QI[qi] + _WISDOM_OF[wisdom]
