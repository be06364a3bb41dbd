"""Positions of Maatatahay as numbers, which contain everything that a position shows."""

from __future__ import annotations

from pentathlon_engines.encoding.pieces import FLOAT, choices, marks, piece, shares
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
    SPACES,
    STREAM,
    TILES,
    TRACK_END,
    bits,
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
        [tile + spirit + energy + _FLAGS[0] for energy in _CRYSTALS[: _ON_SPACE + 1]]
        for spirit in _CRYSTALS[: _ON_SPACE + 1]
    ]
    rows = [[row[min(energy, _ON_SPACE)] for energy in most] for row in rows]
    return [rows[min(spirit, _ON_SPACE)] for spirit in most]


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
_FLAGS: Final = marks(3)
"""What else is on a space: a relic, a target, the hot tile."""
_CRYSTALS: Final = shares(_ON_SPACE, up_to=CRYSTALS)
_NOTHING: Final = _CRYSTALS[0] * 2 + _FLAGS[0]
_DEAD: Final = [
    [_tile(tile, seat, lives=False) + _NOTHING for tile in range(8 * (TILES + 1))]
    for seat in range(2)
]
"""A space by the seat that looks and the dead tile on it."""
_LIVING: Final = [
    [_spaces(_tile(tile, seat, lives=True)) for tile in range(8 * (TILES + 1))]
    for seat in range(2)
]
"""The same by living tile, 0 for none, spirit and energy."""
_FLAGS_AT: Final = FLOAT * (_TILE + 2)
"""Where in a space what else is on it begins."""
_RELIC: Final = _DEAD[0][0][:_FLAGS_AT] + _FLAGS[1]
_PAIRS: Final = [[_pair(pair, seat) for pair in range(256)] for seat in range(2)]
_HALF: Final = TILES // 2
_HALVES: Final = marks(_HALF)
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
    """Add a piece for each space."""
    tiles, living, dead = state.tiles, _LIVING[seat], _DEAD[seat]
    spaces = [
        living[tile][spirit][energy]
        # With `strict`, the compiler would make this a loop of Python objects.
        for tile, spirit, energy in zip(tiles, state.spirit, state.energy)  # noqa: B905
    ]
    space: i64
    for space in bits(state.filled & ~state.living):
        spaces[space] = dead[tiles[space]]
    relics, targets, hot = state.relics, state.targets, state.hot
    for space in SHRINES:
        if relics >> space & 1:
            spaces[space] = _RELIC
    if hot >= 0:
        for space in bits(targets | 1 << hot):
            flags = (targets >> space & 1) * 2 + (4 if space == hot else 0)
            spaces[space] = spaces[space][:_FLAGS_AT] + _FLAGS[flags]
    pieces += spaces


def _add_draft(state: MaatatahayPosition, seat: int, pieces: list[bytes]) -> None:
    """Add the tiles to come, by seat, and the choices made in this round."""
    pairs, stream, first = _PAIRS[seat], state.stream, state.first
    pieces += [pairs[pair] for pair in stream]
    pieces += [pairs[0]] * (STREAM - len(stream))
    pieces.append(pairs[state.pair])
    balan: i64 = 0
    wazu: i64 = 0
    hidden: i64
    for hidden in state.deck:
        balan |= 1 << (hidden >> 4)
        wazu |= 1 << (hidden & 15)
    mine, other = (balan >> 1, wazu >> 1) if seat == 0 else (wazu >> 1, balan >> 1)
    for tiles in (mine, other):
        pieces.append(_HALVES[tiles & (1 << _HALF) - 1])
        pieces.append(_HALVES[tiles >> _HALF])
    waits = state.phase == SETTLING and state.surrounded() >> state.hot & 1
    pieces += (
        _DECK[len(state.deck)],
        _SEATS[-1 if first < 0 else first ^ seat],
        _FLAG[state.step],
        _FLAG[1 if waits else 0],
    )
