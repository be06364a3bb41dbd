"""Conditions of steps: what holds now, what held as the effect began, what was done (13)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.board import BIT, CENTRE, COLOURED, GREEN, RED
from pentathlon_engines.tash_kalar.cards.catalogue import CARDS
from pentathlon_engines.tash_kalar.cards.program import (
    ACTIONS_LEFT,
    CAPTURED,
    COUNT,
    DESTROYED,
    DISCARD_WAS_EMPTY,
    DONE,
    GATEWAY_ON,
    IN_DISCARD,
    IS_GATEWAY,
    LOWER_HELD,
    MARKED_WAS_EMPTY,
    PIECE_RANK,
    SQUARE_COLOUR,
    SUMMON_CAPTURED,
    SUMMONED_ON,
    UPPER_HELD,
    WARPED,
    Condition,
)
from pentathlon_engines.tash_kalar.effect import LOWER, UPPER, Effect
from pentathlon_engines.tash_kalar.state import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

_SUMMONED_SQUARES: Final = (RED, GREEN, COLOURED & ~BIT[CENTRE])


def is_met(state: Position, effect: Effect, condition: Condition) -> bool:
    """Say whether a condition holds, were it not negated."""
    return CONDITIONS[condition.kind](state, effect, condition)


def _was_done(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.counts[condition.slot] > 0


def _was_done_so_often(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.counts[condition.slot] >= condition.number


def _has_destroyed_rank(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.ranks[condition.slot] >> condition.number & 1 == 1


def _has_captured(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.ranks[condition.slot] != 0


def _is_square_coloured(state: Position, effect: Effect, condition: Condition) -> bool:
    square = effect.squares[condition.slot]
    return square >= 0 and condition.number >> square & 1 == 1


def _has_piece_rank(state: Position, effect: Effect, condition: Condition) -> bool:
    piece = effect.pieces[condition.slot]
    return piece >= 0 and state.rank_at(piece) == condition.number


def _has_actions_left(state: Position, effect: Effect, condition: Condition) -> bool:
    return state.actions_left > 0


def _was_summoned_on(state: Position, effect: Effect, condition: Condition) -> bool:
    return _SUMMONED_SQUARES[condition.number] >> effect.summon & 1 == 1


def _was_marked_empty(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.marked_was_empty


def _was_discard_empty(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.discard_was_empty


def _did_upper_hold(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.halves & UPPER != 0


def _did_lower_hold(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.halves & LOWER != 0


def _is_gateway(state: Position, effect: Effect, condition: Condition) -> bool:
    return state.gateway >= 0 and state.gateway == effect.me


def _is_gateway_on(state: Position, effect: Effect, condition: Condition) -> bool:
    return state.gateway >= 0 and condition.number >> state.gateway & 1 == 1


def _has_summon_captured(state: Position, effect: Effect, condition: Condition) -> bool:
    return effect.onto & condition.number != 0


def _is_in_discard(state: Position, effect: Effect, condition: Condition) -> bool:
    return state.discards[state.active] >> CARDS[condition.card] & 1 == 1


def _was_warped(state: Position, effect: Effect, condition: Condition) -> bool:
    return state.warped >> effect.program & 1 == 1


CONDITIONS: Final[dict[str, Callable[[Position, Effect, Condition], bool]]] = {
    DONE: _was_done,
    COUNT: _was_done_so_often,
    DESTROYED: _has_destroyed_rank,
    SQUARE_COLOUR: _is_square_coloured,
    ACTIONS_LEFT: _has_actions_left,
    SUMMONED_ON: _was_summoned_on,
    MARKED_WAS_EMPTY: _was_marked_empty,
    DISCARD_WAS_EMPTY: _was_discard_empty,
    UPPER_HELD: _did_upper_hold,
    LOWER_HELD: _did_lower_hold,
    IS_GATEWAY: _is_gateway,
    GATEWAY_ON: _is_gateway_on,
    CAPTURED: _has_captured,
    PIECE_RANK: _has_piece_rank,
    SUMMON_CAPTURED: _has_summon_captured,
    IN_DISCARD: _is_in_discard,
    WARPED: _was_warped,
}
