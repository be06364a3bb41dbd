"""How good a position of Maatatahay looks to a seat: a rule of thumb for simple bots.

Points count most, minus those in danger; then crystals in storage, which are worth more while
there are relics to buy, and arrows that would support a tile to come. All of these are open.
"""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import (
    ADDING,
    AIMS,
    ARROWS_OF,
    FACING,
    GEMS_OF,
    LEAST_SPIRIT,
    NEAR,
    NEIGHBOURS,
    bits,
)
from pentathlon_engines.maatatahay.state import MaatatahayPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_WIN: Final = 1000.0
_SPIRIT: Final = 0.5
_ENERGY: Final = 0.3
"""The worth of stored energy while there are relics to buy; `_SPIRIT` is that of spirit."""
_NEEDED: Final = 1.0
"""The extra worth of having the spirit that every relic costs."""
_LEFT: Final = 0.1
"""The worth of a stored crystal when no relic is left."""
_ARROW: Final = 0.15
_LOOTED: Final = 1.5
"""The worth of spirit on a tile in danger: whoever kills the tile may take it."""
_ATTACK: Final = 1.5
"""The enemy strength that each free side of a tile may bring."""
_RISK: Final = 0.15
"""How much each strength that a tile may lack raises the risk that it dies."""
_MOST_RISK: Final = 0.8


def worth(state: MaatatahayPosition, seat: int) -> float:
    """Return how good the position looks to a seat; more is better."""
    if state.outcome is not None:
        return _WIN * (state.outcome.ranks[1 - seat] - state.outcome.ranks[seat])
    strengths = {space: state.strength(space) for space in bits(state.living)}
    return _of_seat(state, seat, strengths) - _of_seat(state, 1 - seat, strengths)


def _of_seat(state: MaatatahayPosition, seat: int, strengths: dict[int, int]) -> float:
    found = state.points(seat) + _of_storage(state, seat)
    for space in bits(state.living_of(seat)):
        stake = GEMS_OF[state.tiles[space]] + _LOOTED * state.spirit[space]
        found -= stake * _risk(state, space, strengths)
    return found + _ARROW * _arrows(state, seat)


def _of_storage(state: MaatatahayPosition, seat: int) -> float:
    spirit, energy = state.stored_spirit[seat], state.stored_energy[seat]
    if not state.relics:
        return _LEFT * (spirit + energy)
    return _SPIRIT * spirit + _ENERGY * energy + _NEEDED * (spirit >= LEAST_SPIRIT)


def _risk(state: MaatatahayPosition, space: int, strengths: dict[int, int]) -> float:
    """Return how likely a tile looks to die."""
    enemies = state.living_of(1 - (state.wazu >> space & 1))
    attack = sum(strengths[near] for near in NEIGHBOURS[space] if enemies >> near & 1)
    lack = attack - strengths[space]
    free = NEAR[space] & ~int(state.filled)
    if not free:
        waits = state.phase in (FACING, ADDING) or state.targets >> space & 1
        return 1.0 if waits and lack > 0 else 0.0
    return min(_MOST_RISK, max(0.0, _RISK * (lack + _ATTACK * free.bit_count())))


def _arrows(state: MaatatahayPosition, seat: int) -> int:
    """Return how many arrows of living tiles point to spaces without a tile."""
    own, tiles = state.living_of(seat), state.tiles
    found = 0
    for space, aims in enumerate(AIMS):
        if not state.filled >> space & 1:
            for aim in aims:
                near = aim >> 3
                if own >> near & 1:
                    found += ARROWS_OF[tiles[near]] >> (aim & 7) & 1
    return found
