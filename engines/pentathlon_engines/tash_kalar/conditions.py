"""Conditions of steps: what holds now, what held as the effect began, what was done (13)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.cards.program import (
    ACTIONS_LEFT,
    CAPTURED,
    COUNT,
    DESTROYED,
    DISCARD_WAS_EMPTY,
    DONE,
    GATEWAY_ON,
    IS_GATEWAY,
    LOWER_HELD,
    MARKED_WAS_EMPTY,
    SQUARE_COLOUR,
    SUMMON_CAPTURED,
    UPPER_HELD,
    Condition,
)
from pentathlon_engines.tash_kalar.choices import Choices
from pentathlon_engines.tash_kalar.effect import LOWER, UPPER, Effect
from pentathlon_engines.tash_kalar.geometry import BIT, CENTRE, COLOURED, GREEN, RED

_SUMMONED_SQUARES = (RED, GREEN, COLOURED & ~BIT[CENTRE])


class Conditions(Choices):
    """Whether the steps of an effect are done."""

    __slots__ = ()

    def is_met(self, effect: Effect, condition: Condition) -> bool:
        """Say whether a condition holds, were it not negated."""
        kind, slot = condition.kind, condition.slot
        if kind == DONE:
            return effect.counts[slot] > 0
        if kind == COUNT:
            return effect.counts[slot] >= condition.number
        if kind == DESTROYED:
            return effect.ranks[slot] >> condition.number & 1 == 1
        if kind == SQUARE_COLOUR:
            square = effect.squares[slot]
            return square >= 0 and condition.number >> square & 1 == 1
        if kind == ACTIONS_LEFT or kind >= IS_GATEWAY:
            return self._is_met_now(effect, condition)
        return self._was_met(effect, condition)

    def _is_met_now(self, effect: Effect, condition: Condition) -> bool:
        """Say what holds of the turn, of the Gateway, or of an earlier step's piece."""
        kind, slot, gate = condition.kind, condition.slot, self.gateway
        if kind == ACTIONS_LEFT:
            return self.actions_left > 0
        if kind == IS_GATEWAY:
            return gate >= 0 and gate == effect.me
        if kind == GATEWAY_ON:
            return gate >= 0 and condition.number >> gate & 1 == 1
        if kind == CAPTURED:
            return effect.ranks[slot] != 0
        if kind >= SUMMON_CAPTURED:
            return self._is_met_rarely(effect, condition)
        piece = effect.pieces[slot]
        return piece >= 0 and self.rank_at(piece) == condition.number

    def _is_met_rarely(self, effect: Effect, condition: Condition) -> bool:
        """Say what only beings of the Everfrost and the Etherweave ask."""
        if condition.kind == SUMMON_CAPTURED:
            return effect.onto & condition.number != 0
        return self.weaving_holds(effect, condition)

    def _was_met(self, effect: Effect, condition: Condition) -> bool:
        """Say whether something held when the effect began."""
        kind = condition.kind
        if kind == MARKED_WAS_EMPTY:
            return effect.marked_was_empty
        if kind == DISCARD_WAS_EMPTY:
            return effect.discard_was_empty
        if kind == UPPER_HELD:
            return effect.halves & UPPER != 0
        if kind == LOWER_HELD:
            return effect.halves & LOWER != 0
        return _SUMMONED_SQUARES[condition.number] >> effect.summon & 1 == 1
