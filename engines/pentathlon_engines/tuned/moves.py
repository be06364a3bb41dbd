"""The moves of Tuned: what an action does, and when the match ends.

Sections in brackets are those of the rules page.
"""

from __future__ import annotations

from pentathlon_engines.contract.game import Outcome
from pentathlon_engines.tuned.actions import join_move, split_move
from pentathlon_engines.tuned.board import (
    AREA,
    CAT_BITS,
    DOG,
    DOG_BITS,
    DONKEY,
    FULL,
    HAS_LINE,
    MAX_ACTIONS,
    MOVES,
    ONE,
    REPETITION_DRAW,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.tuned.state import TunedPosition

_LINE: Final = (Outcome((0, 1), "line"), Outcome((1, 0), "line"))
_STUCK: Final = (Outcome((1, 0), "stuck"), Outcome((0, 1), "stuck"))
_REPETITION: Final = Outcome((0, 0), "repetition")
_LIMIT: Final = Outcome((0, 0), "limit")


def apply(state: TunedPosition, action: i64) -> None:
    """Do an action, pass the turn, and end the match if the new position ends it."""
    if action < MOVES:
        _add(state, action)
    else:
        _move(state, action)
    state.last = action
    state.actions += 1
    state.hand, state.other_hand = state.other_hand, state.hand
    state.blocked, state.other_blocked = state.other_blocked, state.blocked
    state.turn = state.to_move = 1 - state.turn
    if not state.hand and not state.other_hand:
        _count(state)
    outcome = ending(state)
    if outcome is not None:
        state.outcome = outcome
        state.to_move = None


def _add(state: TunedPosition, action: i64) -> None:
    kind, square = action // AREA, action % AREA
    if kind == DONKEY:
        state.donkeys |= 1 << square
    elif kind == DOG:
        state.dogs |= 1 << square
    else:
        state.cats |= 1 << square
    state.hand -= ONE[kind]
    state.blocked = False
    state.banned = -1


def _move(state: TunedPosition, action: i64) -> None:
    source, above, target = split_move(action)
    here = 1 << source
    flip = here | 1 << target
    n = above + 1
    if state.cats & here:
        state.cats ^= flip
        n -= 1
    if n and state.dogs & here:
        state.dogs ^= flip
        n -= 1
    if n:
        state.donkeys ^= flip
    state.blocked = True
    # The move that would take the last one back is not allowed (6.4).
    state.banned = join_move(target, above, source)


def ending(state: TunedPosition) -> Outcome | None:
    """Return the outcome that this very position means (7)."""
    donkeys, dogs, cats = state.donkeys, state.dogs, state.cats
    if HAS_LINE[cats] or HAS_LINE[dogs & ~cats] or HAS_LINE[donkeys & ~dogs]:
        return _LINE[1 - state.turn]
    if state.blocked and _is_stuck(state):
        return _STUCK[state.turn]
    if state.counts is not None and state.seen() >= REPETITION_DRAW:
        return _REPETITION
    return _LIMIT if state.actions >= MAX_ACTIONS else None


def _is_stuck(state: TunedPosition) -> bool:
    """Return whether the seat whose turn it is must add and cannot (7.3)."""
    if not state.hand or state.donkeys | state.dogs | state.cats != FULL:
        return False
    dog_fits = state.hand & DOG_BITS and state.donkeys & ~state.dogs
    cat_fits = state.hand & CAT_BITS and state.dogs & ~state.cats
    return not dog_fits and not cat_fits


def _count(state: TunedPosition) -> None:
    """Count this position for the draw by repetition (7.5).

    This is called only when both hands are empty, because no position can come back before that:
    between two positions with the same turn each seat has acted, and a seat with animals left has
    either added, which changes its hand for good, or moved, which turns its rooster until it adds.
    """
    if state.counts is None:
        state.counts = {}
    key = state.key()
    state.counts[key] = state.counts.get(key, 0) + 1
