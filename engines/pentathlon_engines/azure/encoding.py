"""Positions of Azure as counts. Past events appear only as known cards of each hand."""

from __future__ import annotations

from pentathlon_engines.azure.board import (
    BEASTS,
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
    size,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.azure.realm import Realm
    from pentathlon_engines.azure.state import AzurePosition, Side
    from pentathlon_engines.contract.compiler import i64

_CARDS: Final = CARDS_EACH * len(COLOURS)
_MOST_QI: Final = 2
_MOST_WISDOM: Final = 7
_PHASE: Final = 2
_GIFT: Final = _PHASE + len(PHASES)
_REALM: Final = _GIFT + len(GIFTS)
"""The first column of the cells."""
_PRINT: Final = 2 * len(COLOURS) + 4
_PER_CELL: Final = _PRINT + 5
_HANDS: Final = _REALM + len(CELLS) * _PER_CELL
_SIZES: Final = _HANDS + 3 * len(COLOURS)
_SIZE: Final = _SIZES + 3 + len(COLOURS) + 4 + 2 * len(BEASTS) + 1


def most(seats: int, options: dict[str, Any]) -> list[int]:
    """Return for each column the count that becomes 1."""
    printed = [*[1] * (_PRINT - 2), _MOST_QI, _MOST_WISDOM, *[1] * (_PER_CELL - _PRINT)]
    cards = [CARDS_EACH] * 3 * len(COLOURS) + [_CARDS] * 3 + [CARDS_EACH] * len(COLOURS)
    counts = [COMMON_STONES] * 2 + [GOAL] * 2
    turn = 2 * (COMMON_STONES + 1)
    return [1] * _REALM + printed * len(CELLS) + cards + counts + [1] * 2 * len(BEASTS) + [turn]


def row(state: AzurePosition, seat: int) -> bytearray:
    """Return what a seat sees: turn, cells with stones, cards, supply, wisdom, beasts."""
    found = _printed(state.realm)[:]
    if state.to_move is not None:
        found[state.to_move ^ seat] = 1
    found[_PHASE + state.phase] = 1
    found[_GIFT + state.gift] = 1
    mine, other = state.sides[seat], state.sides[1 - seat]
    _add_stones(found, _REALM + _PRINT, mine)
    _add_stones(found, _REALM + _PRINT + 1, other)
    if state.boon_at >= 0:
        found[_REALM + _PRINT + 4 + state.boon_at * _PER_CELL] = 1
    _add_cards(found, _HANDS, mine.hand)
    _add_cards(found, _HANDS + 4, mine.known)
    _add_cards(found, _HANDS + 8, other.known)
    found[_SIZES] = size(mine.hand)
    found[_SIZES + 1] = size(other.hand)
    found[_SIZES + 2] = len(state.hidden)
    at: i64 = _SIZES + 3
    _add_cards(found, at, state.decks)
    found[at + 4] = mine.supply
    found[at + 5] = other.supply
    found[at + 6] = mine.wisdom
    found[at + 7] = other.wisdom
    at += 8
    for owner in state.beasts:
        if owner >= 0:
            found[at + (owner ^ seat)] = 1
        at += 2
    found[at] = state.turn
    return found


def _add_stones(found: bytearray, at: i64, side: Side) -> None:
    cell: i64
    for cell in cells_of(side.stones):
        found[at + cell * _PER_CELL] = 1
    if side.gifted >= 0:
        found[at + 2 + side.gifted * _PER_CELL] = 1


def _add_cards(found: bytearray, at: i64, cards: int) -> None:
    """Add the number of cards of each colour."""
    found[at] = cards & 15
    found[at + 1] = cards >> 4 & 15
    found[at + 2] = cards >> 8 & 15
    found[at + 3] = cards >> 12


def _printed(realm: Realm) -> bytearray:
    """Return a row with the print of each cell, and zeros elsewhere."""
    found = realm.columns
    if found is None:
        found = realm.columns = bytearray(_SIZE)
        for cell, home in enumerate(HOME):
            at = _REALM + cell * _PER_CELL
            domain, colour, qi, wisdom = realm.printed(cell)
            found[at + domain] = 1
            found[at + len(COLOURS)] = cell in realm.peaks
            found[at + len(COLOURS) + 1] = realm.guards[TORTOISE] >> home & 1
            if qi:
                found[at + len(COLOURS) + 2 + colour] = 1
            found[at + _PRINT - 2] = qi
            found[at + _PRINT - 1] = wisdom
    return found
