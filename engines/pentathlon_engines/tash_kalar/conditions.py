"""Conditions of steps: on the present, on the start of the effect, on earlier steps (13)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.board import BIT, CENTRE, COLOURED, GREEN, RED
from pentathlon_engines.tash_kalar.cards import program as words
from pentathlon_engines.tash_kalar.cards.catalogue import CARDS
from pentathlon_engines.tash_kalar.effect import LOWER, UPPER, Effect
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

_SUMMONED_SQUARES: Final = (RED, GREEN, COLOURED & ~BIT[CENTRE])


def is_met(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    """Return whether a condition holds, ignoring its negation."""
    return CONDITIONS[condition.kind](state, effect, condition)


def _was_done(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return effect.counts[condition.slot] > 0


def _was_done_so_often(
    state: TashKalarPosition, effect: Effect, condition: words.Condition
) -> bool:
    return effect.counts[condition.slot] >= condition.number


def _has_destroyed_rank(
    state: TashKalarPosition, effect: Effect, condition: words.Condition
) -> bool:
    return effect.ranks[condition.slot] >> condition.number & 1 == 1


def _has_captured(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return effect.ranks[condition.slot] != 0


def _is_square_coloured(
    state: TashKalarPosition, effect: Effect, condition: words.Condition
) -> bool:
    square = effect.squares[condition.slot]
    return square >= 0 and condition.number >> square & 1 == 1


def _has_piece_rank(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    piece = effect.pieces[condition.slot]
    return piece >= 0 and state.rank_at(piece) == condition.number


def _has_actions_left(
    state: TashKalarPosition, effect: Effect, condition: words.Condition
) -> bool:
    return state.actions_left > 0


def _was_summoned_on(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return _SUMMONED_SQUARES[condition.number] >> effect.summon & 1 == 1


def _was_marked_empty(
    state: TashKalarPosition, effect: Effect, condition: words.Condition
) -> bool:
    return effect.marked_was_empty


def _was_discard_empty(
    state: TashKalarPosition, effect: Effect, condition: words.Condition
) -> bool:
    return effect.discard_was_empty


def _did_upper_hold(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return effect.halves & UPPER != 0


def _did_lower_hold(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return effect.halves & LOWER != 0


def _is_gateway(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return state.gateway >= 0 and state.gateway == effect.me


def _is_gateway_on(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return state.gateway >= 0 and condition.number >> state.gateway & 1 == 1


def _has_summon_captured(
    state: TashKalarPosition, effect: Effect, condition: words.Condition
) -> bool:
    return effect.onto & condition.number != 0


def _is_in_discard(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return state.discards[state.active] >> CARDS[condition.card] & 1 == 1


def _was_warped(state: TashKalarPosition, effect: Effect, condition: words.Condition) -> bool:
    return state.warped >> effect.program & 1 == 1


CONDITIONS: Final[dict[str, Callable[[TashKalarPosition, Effect, words.Condition], bool]]] = {
    "done": _was_done,
    "count": _was_done_so_often,
    "destroyed": _has_destroyed_rank,
    "square_color": _is_square_coloured,
    "actions_left": _has_actions_left,
    "summoned_on": _was_summoned_on,
    "marked_was_empty": _was_marked_empty,
    "discard_was_empty": _was_discard_empty,
    "upper_held": _did_upper_hold,
    "lower_held": _did_lower_hold,
    "is_gateway": _is_gateway,
    "gateway_on": _is_gateway_on,
    "captured": _has_captured,
    "piece_rank": _has_piece_rank,
    "summon_captured": _has_summon_captured,
    "discarded": _is_in_discard,
    "warped": _was_warped,
}
