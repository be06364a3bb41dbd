"""Positions of Maatatahay as numbers, which contain everything that a position shows."""

from __future__ import annotations

from itertools import chain, combinations

from pentathlon_engines.encoding.pieces import choices, marks, piece, shares
from pentathlon_engines.maatatahay.board import (
    BAG_ENERGY,
    BAG_SPIRIT,
    CRYSTALS,
    FACES,
    MOST_STORED,
    PHASES,
    ROUNDS,
    SETTING_UP,
    SETTLING,
    SHRINES,
    SIDE,
    SPACES,
    STREAM,
    TILES,
    TRACK_END,
    bits,
    mask,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.maatatahay.state import MaatatahayPosition

_MOST_SUPPLIED: Final = 60
_ON_SPACE: Final = 6
_STORED: Final = 8
_TILE: Final = 2 + TILES + len(FACES) + 1
"""The numbers of a tile: owner, tile, face, whether it lives."""


def _tile(tile: int, seat: int, *, lives: bool) -> bytes:
    """Return a tile on the map as a seat sees it, 0 for none."""
    number, face, owner = tile >> 3, tile >> 1 & 3, tile & 1
    if not number:
        return piece([0] * _TILE)
    shown = _SEATS[owner ^ seat] + _NUMBERS[number - 1] + choices(len(FACES))[face]
    return shown + _FLAG[lives]


def _spaces(tile: bytes) -> list[list[bytes]]:
    """Return a space with a tile by the spirit and energy on it."""
    most = range(CRYSTALS + 1)
    rows = [
        [tile + spirit + energy for energy in _CRYSTALS[: _ON_SPACE + 1]]
        for spirit in _CRYSTALS[: _ON_SPACE + 1]
    ]
    rows = [[row[min(energy, _ON_SPACE)] for energy in most] for row in rows]
    return [rows[min(spirit, _ON_SPACE)] for spirit in most]


def _by_row(spaces: int) -> bytes:
    """Return a number for each space, 1 for those in the mask."""
    return b"".join([_ROWS[spaces >> row & _ROW] for row in _FIRSTS])


def _pair(pair: int, seat: int) -> bytes:
    """Return the two tiles of a pair, that of the seat that looks first; 0 is no pair."""
    tiles = (pair >> 4, pair & 15)
    return _NUMBERS[tiles[seat] - 1] + _NUMBERS[tiles[1 - seat] - 1]


_NUMBERS: Final = [*choices(TILES)[:-1], *[b""] * (15 - TILES), choices(TILES)[-1]]
"""By tile - 1, where -1 is no tile; a number of four bits can be more than there are tiles."""
_SEATS: Final = choices(2)
_PHASES: Final = choices(len(PHASES))
_ROUNDS: Final = shares(ROUNDS)
_FLAG: Final = marks(1)
_CRYSTALS: Final = shares(_ON_SPACE, up_to=CRYSTALS)
_DEAD: Final = [
    [_tile(tile, seat, lives=False) + _CRYSTALS[0] * 2 for tile in range(8 * (TILES + 1))]
    for seat in range(2)
]
"""A space by the seat that looks and the dead tile on it."""
_LIVING: Final = [
    [_spaces(_tile(tile, seat, lives=True)) for tile in range(8 * (TILES + 1))]
    for seat in range(2)
]
"""The same by living tile, 0 for none, spirit and energy."""
_ROWS: Final = marks(SIDE)
_ROW: Final = (1 << SIDE) - 1
_FIRSTS: Final = list(range(0, len(SPACES), SIDE))
"""The first space of each row."""
_NONE: Final = _ROWS[0] * len(_FIRSTS)
_RELICS: Final = {
    relics: _by_row(relics)
    for relics in map(mask, chain(*(combinations(SHRINES, n) for n in range(len(SHRINES) + 1))))
}
_SPACES: Final = choices(len(SPACES))
_PAIRS: Final = [[_pair(pair, seat) for pair in range(256)] for seat in range(2)]
_DECK: Final = shares(TILES)
_STORE: Final = shares(_STORED, up_to=MOST_STORED)
_OWNED: Final = shares(len(SHRINES))
_DEATHS: Final = shares(TRACK_END, up_to=2 * TILES)
_SUPPLY: Final = shares(_MOST_SUPPLIED, up_to=CRYSTALS)
_BAG: Final = shares(BAG_SPIRIT + BAG_ENERGY)


def size(seats: int) -> int:
    """Return how many numbers there are."""
    draft = (STREAM + 2) * 2 * TILES + 5
    return 4 + len(PHASES) + 1 + len(SPACES) * (_TILE + 5) + draft + 16


def encode(state: MaatatahayPosition, seat: int, pieces: list[bytes]) -> None:
    """Add what a seat sees: turn, spaces, tiles to come, choices, belongings, crystals."""
    other = 1 - seat
    phase, last, spirit = state.phase, state.last_relic, state.bag.count("s")
    pieces += (
        _SEATS[-1 if state.to_move is None else state.to_move ^ seat],
        _SEATS[-1 if phase == SETTING_UP else state.active ^ seat],
        _PHASES[phase],
        _ROUNDS[state.round],
    )
    _add_map(state, seat, pieces)
    _add_draft(state, seat, pieces)
    pieces += (
        _STORE[state.stored_spirit[seat]],
        _STORE[state.stored_energy[seat]],
        _STORE[state.stored_spirit[other]],
        _STORE[state.stored_energy[other]],
        _OWNED[state.owned[seat]],
        _OWNED[state.owned[other]],
        _SEATS[-1 if last < 0 else last ^ seat],
        _DEATHS[state.deaths[seat]],
        _DEATHS[state.deaths[other]],
        _DEATHS[state.round_deaths],
        _DEATHS[state.track],
        _SUPPLY[state.supply_spirit],
        _SUPPLY[state.supply_energy],
        _BAG[spirit],
        _BAG[len(state.bag) - spirit],
    )


def _add_map(state: MaatatahayPosition, seat: int, pieces: list[bytes]) -> None:
    """Add a piece for each space, then the hot one, relics and targets."""
    tiles, living, dead = state.tiles, _LIVING[seat], _DEAD[seat]
    spaces = [
        living[tile][spirit][energy]
        # With `strict`, the compiler would make this a loop of Python objects.
        for tile, spirit, energy in zip(tiles, state.spirit, state.energy)  # noqa: B905
    ]
    space: i64
    for space in bits(state.filled & ~state.living):
        spaces[space] = dead[tiles[space]]
    pieces += spaces
    pieces.append(_SPACES[state.hot])
    pieces.append(_RELICS[state.relics])
    pieces.append(_by_row(state.targets) if state.targets else _NONE)


def _add_draft(state: MaatatahayPosition, seat: int, pieces: list[bytes]) -> None:
    """Add the tiles to come, by seat, and the choices made in this round."""
    pairs, stream, first = _PAIRS[seat], state.stream, state.first
    pieces += [pairs[pair] for pair in stream]
    pieces += [pairs[0]] * (STREAM - len(stream))
    pieces.append(pairs[state.pair])
    waits = state.phase == SETTLING and state.surrounded() >> state.hot & 1
    pieces += (
        _deck(state.deck, seat),
        _SEATS[-1 if first < 0 else first ^ seat],
        _FLAG[state.step],
        _FLAG[1 if waits else 0],
    )


def _deck(deck: bytes, seat: int) -> bytes:
    """Return which tiles are still to come, by seat, and how many; kept, for a round has one."""
    known = _DECKS[seat].get(deck)
    if known is None:
        if len(_DECKS[seat]) >= _MOST_DECKS:
            _DECKS[seat].clear()
        tiles = [[pair >> 4 for pair in deck], [pair & 15 for pair in deck]]
        known = piece(tile in tiles[there] for there in (seat, 1 - seat) for tile in _TILES)
        known = _DECKS[seat][deck] = known + _DECK[len(deck)]
    return known


_TILES: Final = range(1, TILES + 1)
_DECKS: Final[list[dict[bytes, bytes]]] = [{}, {}]
_MOST_DECKS: Final = 4096
