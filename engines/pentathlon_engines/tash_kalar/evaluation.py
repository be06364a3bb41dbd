"""A heuristic evaluation of Tash-Kalar positions for one seat, for simple bots.

Points count most, including those due at the end of the turn; then pieces, and the beings that the
seat could summon with them.
"""

from __future__ import annotations

from pentathlon_engines.tash_kalar import tasks
from pentathlon_engines.tash_kalar.board import ALL, BIT, RULES, mask, named
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FROST_SCHOOLS,
    FROZEN_CARDS,
    PATTERNS,
    PROGRAMS,
    RANK_OF,
)
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, matches_with_enemy
from pentathlon_engines.tash_kalar.cards.program import ENEMY, WarStep
from pentathlon_engines.tash_kalar.constants import DEATHMATCH, PENDING_POINTS, RANKS_EACH
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.turns import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_POINT: Final = 10.0
_CLAIM: Final = 7.0
"""The value per point of a task that could be claimed at the end of this turn."""
_DESTROYED: Final = (5.0, 10.0, 20.0)
"""By rank, the value of a piece destroyed this turn in the Deathmatch Duel."""
_PIECE: Final = (1.0, 3.0, 3.8)
_READY: Final = (0.6, 1.2, 3.0)
"""By rank, the value of a being in hand that could be summoned."""
_NEARLY: Final = (0.25, 0.45, 1.0)
"""By rank, the value of a being in hand that lacks one common."""
_GATEWAY: Final = 1.5
_THAWED: Final = {"upgrade": 2.0, "convert": 2.0, "war_summon": 1.4, "place": 1.1, "moves": 0.8}
"""By its first step, the value of a frozen effect that must be used; in play, half of it."""
_SLOWED: Final = 1.0
"""The value of one action fewer in the next turn."""
_PENDING: Final = 0.5
_WARPED: Final = {"upgrade": 2.0, "lift": 2.0, "place": 1.1, "choose_one": 1.1, "moves": 0.8}
"""By its first step, the value of a warp effect for the owner of the target."""
_CENTRAL: Final = 0.15
_CENTRE: Final[int] = named(RULES["central"])


def worth(state: TashKalarPosition, seat: int) -> float:
    """Return the value of the position for a seat; higher is better."""
    other = 1 - seat
    found = _POINT * (score(state, seat) - score(state, other))
    for rank in range(RANKS_EACH):
        mine = state.count_rank(seat, rank)
        theirs = state.count_rank(other, rank)
        found += _PIECE[rank] * (mine - theirs)
    found += _CENTRAL * (state.own(seat) & _CENTRE).bit_count()
    if state.gateway >= 0:
        found += _GATEWAY if state.own(seat) & BIT[state.gateway] else -_GATEWAY
    if state.pending:
        warp = _of_warp(state)
        found += warp if state.pending & mask(state.hands[seat]) else -warp
    if state.active == seat:
        found += _of_turn(state)
    if state.frozen >= 0 or state.slowed >= 0 or state.effect is not None:
        found += _of_frost(state, seat)
    return found + _of_hand(state, seat)


def _of_warp(state: TashKalarPosition) -> float:
    """Return the value of a pending being to its seat, apart from the points it costs (18.3).

    These points are lost only at the very end; until then the being is in the way of other warp
    effects. While its own effect resolves, the possible gain of the first step is added.
    """
    found = _POINT * PENDING_POINTS - _PENDING if state.trigger < 0 else 0.0
    effect = state.effect
    if effect is None or not state.pending >> effect.program & 1 or effect.times:
        return found
    program = PROGRAMS[effect.program]
    step = program.steps[program.free]
    if effect.at != program.free:
        return found
    return found + _WARPED.get(step.op, 0.0) * (-1 if step.selector.owner == ENEMY else 1)


def _of_frost(state: TashKalarPosition, seat: int) -> float:
    """Return the value of a card in play or being thawed, and of a lost action (18.1)."""
    found = 0.0
    if state.frozen >= 0:
        found = _frozen_worth(state.frozen) / 2
    effect = state.effect
    if effect is not None and effect.at >= PROGRAMS[effect.program].free:
        found += _frozen_worth(effect.program)
    if state.slowed >= 0:
        found += _SLOWED
    return found if state.schools[seat] in FROST_SCHOOLS else -found


def _frozen_worth(card: int) -> float:
    """Return the value of thawing a card; nothing if its effect is optional."""
    if card not in FROZEN_CARDS:
        return 0.0
    program = PROGRAMS[card]
    step = program.steps[program.free]
    must = step.least or (isinstance(step, WarStep) and step.directly)
    return _THAWED.get(step.op, 0.0) if must else 0.0


def _of_turn(state: TashKalarPosition) -> float:
    """Return the value of the points that the active seat will score at the end of its turn."""
    if state.mode == DEATHMATCH:
        return sum(_DESTROYED[rank] * state.destroyed[rank] for rank in range(RANKS_EACH))
    points = [
        tasks.POINTS[task]
        for task in state.current
        if tasks.is_satisfied(state, task, state.active)
    ]
    return _CLAIM * max(points, default=0)


def _of_hand(state: TashKalarPosition, seat: int) -> float:
    """Return the value of the beings in hand whose pieces are all or nearly all in place."""
    found = 0.0
    for card in state.hand(seat).beings:
        found += _of_being(state, seat, card)
    return found


def _of_being(state: TashKalarPosition, seat: int, card: int) -> float:
    rank, pattern = RANK_OF[card], PATTERNS[card]
    own, upgraded = state.own(seat), state.upgraded(seat)
    allowed = ALL if pattern.anywhere else state.up_to(rank)
    if pattern.requires >= 0:
        allowed &= own if pattern.requires == COMMON else upgraded
    nearly = False
    serves = state.directly and state.active == seat
    others = state.own(1 - seat) if serves else ALL & ~own
    for shape in pattern.shapes:
        ready, lacking = matches_with_enemy(shape, (own, upgraded), (others, 0))
        if ready & allowed:
            return _READY[rank]
        nearly = nearly or lacking & allowed != 0
    if serves and nearly:
        return _READY[rank]
    return _NEARLY[rank] if nearly else 0.0
