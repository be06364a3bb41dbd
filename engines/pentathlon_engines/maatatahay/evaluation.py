"""How good a position of Maatatahay looks to a seat: a rule of thumb for simple bots.

Points count most, less what is in danger; then crystals in storage, dearer while there are relics
to buy, and arrows that would support a tile to come. Nothing of it is hidden from anybody.
"""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import (
    AIMS,
    ARROWS_OF,
    GEMS_OF,
    LEAST_SPIRIT,
    NEAR,
    NEIGHBOURS,
    bits,
)
from pentathlon_engines.maatatahay.table import ADDING, FACING, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_WIN: Final = 1000.0
_SPIRIT: Final = 0.5
_ENERGY: Final = 0.3
"""A crystal in storage while there are relics to buy."""
_NEEDED: Final = 1.0
"""The spirit that any relic costs, besides."""
_LEFT: Final = 0.1
"""A crystal in storage when no relic is left."""
_ARROW: Final = 0.15
_LOOTED: Final = 1.5
"""Spirit on a tile in danger: who kills the tile may take it."""
_ATTACK: Final = 1.5
"""The enemy strength that a free side of a tile may bring."""
_RISK: Final = 0.15
"""How much more likely a tile dies for each strength that it may lack."""
_MOST_RISK: Final = 0.8


def worth(table: Table, seat: int) -> float:
    """Return how good the position looks to a seat; more is better."""
    if table.outcome is not None:
        return _WIN * (table.outcome.ranks[1 - seat] - table.outcome.ranks[seat])
    strengths = {space: table.strength(space) for space in bits(table.living)}
    return _of_seat(table, seat, strengths) - _of_seat(table, 1 - seat, strengths)


def _of_seat(table: Table, seat: int, strengths: dict[int, int]) -> float:
    found = table.points(seat) + _of_storage(table, seat)
    for space in bits(table.living_of(seat)):
        stake = GEMS_OF[table.tiles[space]] + _LOOTED * table.spirit[space]
        found -= stake * _risk(table, space, strengths)
    return found + _ARROW * _arrows(table, seat)


def _of_storage(table: Table, seat: int) -> float:
    spirit, energy = table.stored_spirit[seat], table.stored_energy[seat]
    if not table.relics:
        return _LEFT * (spirit + energy)
    return _SPIRIT * spirit + _ENERGY * energy + _NEEDED * (spirit >= LEAST_SPIRIT)


def _risk(table: Table, space: int, strengths: dict[int, int]) -> float:
    """Return how likely a tile looks to die."""
    enemies = table.living_of(1 - (table.wazu >> space & 1))
    attack = sum(strengths[near] for near in NEIGHBOURS[space] if enemies >> near & 1)
    lack = attack - strengths[space]
    free = NEAR[space] & ~int(table.filled)
    if not free:
        waits = table.phase in (FACING, ADDING) or table.targets >> space & 1
        return 1.0 if waits and lack > 0 else 0.0
    return min(_MOST_RISK, max(0.0, _RISK * (lack + _ATTACK * free.bit_count())))


def _arrows(table: Table, seat: int) -> int:
    """Return how many arrows of living tiles point to spaces without a tile."""
    own, tiles = table.living_of(seat), table.tiles
    found = 0
    for space, aims in enumerate(AIMS):
        if not table.filled >> space & 1:
            for aim in aims:
                near = aim >> 3
                if own >> near & 1:
                    found += ARROWS_OF[tiles[near]] >> (aim & 7) & 1
    return found
