"""Positions of Maatatahay as counts, which contain everything that a position shows."""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import (
    BAG_ENERGY,
    BAG_SPIRIT,
    FACES,
    PHASES,
    ROUNDS,
    SETTING_UP,
    SETTLING,
    SHRINES,
    SPACES,
    STREAM,
    TILES,
    TRACK_END,
    bits,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.maatatahay.state import MaatatahayPosition

_SUPPLY: Final = 60
_ON_SPACE: Final = 6
_STORED: Final = 8
_TILE: Final = 2 + TILES + len(FACES) + 1
"""The columns of a tile: owner, number, face, whether it lives."""
_PER_SPACE: Final = _TILE + 5
_MAP: Final = 4 + len(PHASES) + 1
"""The first column of the spaces."""
_DRAFT: Final = _MAP + len(SPACES) * _PER_SPACE
_UNSEEN: Final = _DRAFT + (STREAM + 1) * 2 * TILES
_REST: Final = _UNSEEN + 2 * TILES
_BELONGINGS: Final = _REST + 5
_SIZE: Final = _BELONGINGS + 16


def most(seats: int, options: dict[str, Any]) -> list[int]:
    """Return for each column the count that becomes 1."""
    space = [*[1] * _TILE, _ON_SPACE, _ON_SPACE, 1, 1, 1]
    draft = [1] * ((STREAM + 2) * 2 * TILES) + [TILES, 1, 1, 1, 1]
    owned = [_STORED] * 4 + [len(SHRINES)] * 2 + [1] * 2 + [TRACK_END] * 4
    crystals = [_SUPPLY] * 2 + [BAG_SPIRIT + BAG_ENERGY] * 2
    return [1] * (_MAP - 1) + [ROUNDS] + space * len(SPACES) + draft + owned + crystals


def _spaces(seat: int) -> list[bytes]:
    """Return the columns of a space by the living tile that is on it, as a seat sees it."""
    shown = []
    for number in range(8 * (TILES + 1)):
        columns = bytearray(_PER_SPACE)
        tile, face, owner = number >> 3, number >> 1 & 3, number & 1
        if tile:
            columns[owner ^ seat] = columns[1 + tile] = columns[2 + TILES + face] = 1
            columns[_TILE - 1] = 1
        shown.append(bytes(columns))
    return shown


_EMPTY: Final = bytearray(_SIZE)
_SPIRIT: Final = slice(_MAP + _TILE, _DRAFT, _PER_SPACE)
_ENERGY: Final = slice(_MAP + _TILE + 1, _DRAFT, _PER_SPACE)
_SPACES: Final = (_spaces(0), _spaces(1))


def row(state: MaatatahayPosition, seat: int) -> bytearray:
    """Return what a seat sees: turn, spaces, tiles to come, choices, belongings, crystals."""
    other = 1 - seat
    found = _EMPTY[:]
    if state.to_move is not None:
        found[state.to_move ^ seat] = 1
    if state.phase != SETTING_UP:
        found[2 + (state.active ^ seat)] = 1
    found[4 + state.phase] = 1
    found[_MAP - 1] = state.round
    _add_map(state, seat, found)
    _add_draft(state, seat, found)
    last = -1 if state.last_relic < 0 else state.last_relic ^ seat
    deaths, spirit = state.deaths, state.bag.count("s")
    belongings = (
        state.stored_spirit[seat],
        state.stored_energy[seat],
        state.stored_spirit[other],
        state.stored_energy[other],
        state.owned[seat],
        state.owned[other],
        last == 0,
        last == 1,
        deaths[seat],
        deaths[other],
        state.round_deaths,
        state.track,
        state.supply_spirit,
        state.supply_energy,
        spirit,
        len(state.bag) - spirit,
    )
    found[_BELONGINGS:] = bytearray(belongings)
    return found


def _add_map(state: MaatatahayPosition, seat: int, found: bytearray) -> None:
    shown = _SPACES[seat]
    found[_MAP:_DRAFT] = bytearray().join([shown[tile] for tile in state.tiles])
    found[_SPIRIT] = bytearray(state.spirit)
    found[_ENERGY] = bytearray(state.energy)
    space: i64
    for space in bits(state.filled & ~state.living):
        found[_MAP + _TILE - 1 + space * _PER_SPACE] = 0
    relics = state.relics
    for space in SHRINES:
        if relics >> space & 1:
            found[_MAP + _TILE + 2 + space * _PER_SPACE] = 1
    if state.targets:
        for space in bits(state.targets):
            found[_MAP + _TILE + 3 + space * _PER_SPACE] = 1
    hot = state.hot
    if hot >= 0:
        found[_MAP + _TILE + 4 + hot * _PER_SPACE] = 1


def _add_draft(state: MaatatahayPosition, seat: int, found: bytearray) -> None:
    """Add the tiles to come, by seat, and the choices made in this round."""
    balan: i64 = _DRAFT - 1 + TILES * seat
    wazu: i64 = _DRAFT - 1 + TILES * (1 - seat)
    pair: i64
    for pair in state.stream:
        found[balan + (pair >> 4)] = found[wazu + (pair & 15)] = 1
        balan += 2 * TILES
        wazu += 2 * TILES
    balan = _UNSEEN - 1 + TILES * seat
    wazu = _UNSEEN - 1 + TILES * (1 - seat)
    for pair in state.deck:
        found[balan + (pair >> 4)] = found[wazu + (pair & 15)] = 1
    pair = state.pair
    if pair:
        found[balan - 2 * TILES + (pair >> 4)] = found[wazu - 2 * TILES + (pair & 15)] = 1
    found[_REST] = len(state.deck)
    if state.first >= 0:
        found[_REST + 1 + (state.first ^ seat)] = 1
    found[_REST + 3] = state.step
    if state.phase == SETTLING and state.surrounded() >> state.hot & 1:
        found[_REST + 4] = 1
