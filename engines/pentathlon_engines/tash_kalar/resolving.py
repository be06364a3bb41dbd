"""Doing what a step of an effect says, and going on to the next one (8)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import (
    CARD_OF,
    DO_CONVERT,
    DO_DESTROY,
    DO_DOWNGRADE,
    DO_LEAP,
    DO_MOVE,
    DO_PICK,
    DO_PLACE,
    DO_UPGRADE,
    OPTS,
    OTHER_OF,
    PASS,
    SQUARE_OF,
    TURN_TO,
    VERB_OF,
)
from pentathlon_engines.tash_kalar.cards import PROGRAMS
from pentathlon_engines.tash_kalar.choices import Choices
from pentathlon_engines.tash_kalar.effect import LOWER, UPPER, Effect
from pentathlon_engines.tash_kalar.geometry import (
    BIT,
    CENTRE,
    COLOURED,
    DIRECTION_OF,
    GREEN,
    RED,
    bits,
)
from pentathlon_engines.tash_kalar.patterns import COMMON, LEGENDARY
from pentathlon_engines.tash_kalar.program import (
    ACTIONS_LEFT,
    BECOME_GATEWAY,
    BUDGET_OR,
    CAPTURED,
    CHOOSE,
    COUNT,
    COUNT_AS_LEGEND,
    DESTROY_ALL,
    DESTROYED,
    DISCARD_WAS_EMPTY,
    DONE,
    DRAW_EXTRA,
    EXTRA_TURN,
    FIRST_AUTOMATIC,
    FORCE_UPGRADE,
    GAIN_ACTION,
    GATEWAY_ON,
    IS_GATEWAY,
    LEAPS,
    LOSE_ACTION,
    LOWER_HELD,
    MARKED_WAS_EMPTY,
    OWN,
    PLACE,
    POSSESS_SUMMON,
    SQUARE_COLOUR,
    STOP_CAPTURED_LEGENDARY,
    STOP_ONTO_EMPTY,
    THROW_FLARE,
    UPPER_HELD,
    WAR_SUMMON,
    Condition,
    Step,
)
from pentathlon_engines.tash_kalar.table import DEATHMATCH, RANKS_EACH

_SUMMONED_SQUARES = (RED, GREEN, COLOURED & ~BIT[CENTRE])


class Resolving(Choices):
    """An effect from its first step to its last."""

    __slots__ = ()

    def run(self) -> bool:
        """Go on until the seat must decide; say whether the effect is over instead."""
        effect = self.effect
        if effect is None:
            return True
        steps = PROGRAMS[effect.program].steps
        while effect.at < effect.stop:
            step = steps[effect.at]
            if not effect.entered and not self._enter(effect, step):
                effect.go_to(step.end)
            elif step.op >= FIRST_AUTOMATIC:
                self._run_by_itself(effect, step)
                effect.go_to(step.end)
            elif self._must_ask(effect, step):
                return False
        return True

    def _must_ask(self, effect: Effect, step: Step) -> bool:
        """Say whether the seat must decide; else do the only thing, or leave the step."""
        most = self.most(step, effect)
        offers = self.offers(effect, step) if effect.times < most else []
        if not offers:
            effect.go_to(step.end)
            return False
        least = most if step.most_of >= 0 else step.least
        optional = effect.picked < 0 and effect.times >= least
        if step.op == CHOOSE:
            optional = self._has_way_out(effect, step)
        if optional:
            offers.append(PASS)
        elif len(offers) == 1:
            self.note(offers[0])
            self.resolve(offers[0])
            return False
        offers.sort()
        self._legal = offers
        return True

    def _has_way_out(self, effect: Effect, step: Step) -> bool:
        """Say whether one of the options may be declined."""
        for start in step.options:
            option = PROGRAMS[effect.program].steps[start]
            if option.op < FIRST_AUTOMATIC and option.least == 0:
                return True
        return False

    def note(self, action: int) -> None:
        """Write an action of the active seat into the log."""
        self.log.append(action << 1 | self.active)

    def _enter(self, effect: Effect, step: Step) -> bool:
        """Begin a step if its condition holds."""
        effect.entered = True
        if step.each_once:
            effect.pool = self.selected(effect, step.selector)
        if not step.conditions:
            return True
        for condition in step.conditions:
            if self._is_met(effect, condition) != condition.negated:
                return True
        return False

    def _is_met(self, effect: Effect, condition: Condition) -> bool:
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
        piece = effect.pieces[slot]
        return piece >= 0 and self.rank_at(piece) == condition.number

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

    def _run_by_itself(self, effect: Effect, step: Step) -> None:
        op = step.op
        if op == DESTROY_ALL:
            for square in bits(self.selected(effect, step.selector)):
                effect.record(step.slot, square)
                self.destroy(square, counted=step.counted)
        elif op == GAIN_ACTION:
            self.actions_left += step.numbers[0]
        elif op == DRAW_EXTRA:
            self.extra_draws[0] += step.numbers[0]
            self.extra_draws[1] += step.numbers[1]
        elif op == FORCE_UPGRADE:
            for square in bits(self.selected(effect, step.selector) & self.can_upgrade()):
                self.rerank(square, self.rank_at(square) + 1)
        elif op == EXTRA_TURN:
            self.extra_granted = True
        else:
            self._run_rarely(effect, step)

    def _run_rarely(self, effect: Effect, step: Step) -> None:
        """Do what few beings do by themselves, most of them of the Nethervoid (18.2)."""
        op = step.op
        if op == WAR_SUMMON:
            self.war = True
        elif op == BECOME_GATEWAY:
            for square in bits(self.selected(effect, step.selector)):
                self.gateway = square
        elif op == LOSE_ACTION:
            self.actions_left -= step.numbers[0]
        elif op == POSSESS_SUMMON:
            self.possessed = True
        elif op == COUNT_AS_LEGEND:
            self.raised |= 1 << self.card
            if self.mode == DEATHMATCH:
                self.points[self.active] += 1
        else:
            effect.goes_under = True

    def resolve(self, action: int) -> None:
        """Do a decision of the step at hand."""
        effect = self.effect
        if effect is None:
            return
        step = PROGRAMS[effect.program].steps[effect.at]
        if action == PASS:
            effect.go_to(step.end)
            return
        if step.op == CHOOSE:
            effect.go_to(self._chosen(effect, step, action))
            step = PROGRAMS[effect.program].steps[effect.at]
            if step.op >= FIRST_AUTOMATIC:
                return
            self._enter(effect, step)
        if self._do(effect, step, action):
            effect.go_to(step.end)

    def _chosen(self, effect: Effect, step: Step, action: int) -> int:
        """Return where the option begins to which an action belongs."""
        steps = PROGRAMS[effect.program].steps
        for start in step.options:
            option = steps[start]
            if option.op >= FIRST_AUTOMATIC:
                if OPTS[option.label] == action:
                    return start
            elif action in self.offers(effect, option):
                return start
        return step.end

    def _do(self, effect: Effect, step: Step, action: int) -> bool:
        """Do one decision and say whether it ends the step."""
        verb, square = VERB_OF[action], SQUARE_OF[action]
        if verb == DO_PICK and step.op == LEAPS:
            effect.picked = square
            return False
        effect.times += 1
        if verb == DO_MOVE:
            return self._move(effect, step, square, OTHER_OF[action])
        if verb == DO_LEAP:
            return self._leap(effect, step, square)
        if verb == DO_DESTROY:
            return self._destroy(effect, step, square)
        if verb == TURN_TO:
            self._shoot(effect, step, OTHER_OF[action])
        elif square >= 0:
            self._change(effect, step, action, square)
        elif step.op == THROW_FLARE:
            self._throw_flare(effect, step)
        else:
            self._take(effect, step, CARD_OF[action])
        return False

    def _move(self, effect: Effect, step: Step, square: int, to: int) -> bool:
        rank = self.rank_at(square)
        direction = DIRECTION_OF[to - square]
        if effect.times == 1:
            effect.runner = square
            if step.rank_lock:
                effect.lock = rank
        if step.straight:
            effect.direction = direction
        if square == effect.me:
            effect.moved_self = True
        effect.pool &= ~BIT[square]
        captured = self.move(square, to) - 1
        effect.record(step.slot, to)
        if step.slot >= 0:
            effect.directions[step.slot] = direction
            if captured >= 0 and step.notes_captures:
                effect.ranks[step.slot] |= 1 << captured % RANKS_EACH
        return _ends_with(effect, step, captured % RANKS_EACH if captured >= 0 else -1, rank)

    def _leap(self, effect: Effect, step: Step, to: int) -> bool:
        square = effect.picked if effect.picked >= 0 else effect.me
        effect.picked = -1
        self.move(square, to)
        effect.record(step.slot, to)
        return False

    def _destroy(self, effect: Effect, step: Step, square: int) -> bool:
        effect.record(step.slot, square)
        effect.chosen |= BIT[square]
        rank = self.destroy(square)
        if step.slot >= 0:
            effect.ranks[step.slot] |= 1 << rank
        return rank == step.stop_rank

    def _shoot(self, effect: Effect, step: Step, direction: int) -> None:
        for square in bits(self.shot_at(step, effect.me, direction)):
            effect.record(step.slot, square)
            self.destroy(square)

    def _change(self, effect: Effect, step: Step, action: int, square: int) -> None:
        """Upgrade, downgrade, convert, place or pick on a square."""
        verb = VERB_OF[action]
        effect.chosen |= BIT[square]
        if verb == DO_UPGRADE:
            self.rerank(square, self.rank_at(square) + 1)
        elif verb == DO_DOWNGRADE:
            self.rerank(square, self.rank_at(square) - 1)
        elif verb == DO_CONVERT:
            rank = self.destroy(square)
            self.put(square, self.active, rank if step.rank < 0 else step.rank)
        elif verb == DO_PLACE:
            self._place(step, square, OTHER_OF[action])
        effect.record(step.slot, square)

    def _place(self, step: Step, square: int, rank: int) -> None:
        """Put a piece of the stated colour and rank down; The Eldest Tree places commons."""
        if step.op != PLACE:
            self.put(square, self.active, COMMON)
            return
        seat = self.active if step.selector.owner == OWN else 1 - self.active
        self.put(square, seat, rank if step.rank < 0 else step.rank)

    def _throw_flare(self, effect: Effect, step: Step) -> None:
        """Put the flare in hand onto the flares that were played."""
        flare = self.hand_of(self.active, 2)
        self.hands[self.active] ^= flare
        self.flare_pile.append(flare.bit_length() - 1)
        effect.record(step.slot, -1)

    def _take(self, effect: Effect, step: Step, card: int) -> None:
        """Put a card from the own discard pile onto the own deck."""
        seat = self.active
        self.discards[seat] &= ~(1 << card)
        self.decks[seat].append(card)
        self.taken[seat] += 1
        effect.record(step.slot, -1)


def _ends_with(effect: Effect, step: Step, captured: int, rank: int) -> bool:
    """Count a capture by a piece of this rank, -1 for none; say whether it ends the step."""
    if captured == rank:
        effect.captures += 1
    if step.stop == STOP_ONTO_EMPTY:
        return captured < 0
    if step.stop == STOP_CAPTURED_LEGENDARY:
        return captured == LEGENDARY
    return step.kind == BUDGET_OR and captured == rank
