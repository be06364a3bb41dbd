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
from pentathlon_engines.tash_kalar.cards.catalogue import PROGRAMS
from pentathlon_engines.tash_kalar.cards.operations import (
    BECOME_GATEWAY,
    CHANGE_SIDE,
    CHOOSE,
    COUNT_AS_LEGEND,
    DESTROY_ALL,
    DOUBLE_DESTROYED,
    DRAW_EXTRA,
    EXTRA_TURN,
    FIRST_AUTOMATIC,
    FORCE_UPGRADE,
    FREEZE,
    GAIN_ACTION,
    LEAPS,
    LOSE_ACTION,
    MIRROR,
    PICK_SQUARE,
    PLACE,
    POSSESS_SUMMON,
    SLOW_OTHERS,
    THROW_FLARE,
    WAR_SUMMON,
)
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, LEGENDARY
from pentathlon_engines.tash_kalar.cards.program import (
    BUDGET_OR,
    OWN,
    STOP_CAPTURED_LEGENDARY,
    STOP_ONTO_EMPTY,
    UNLIMITED,
    Step,
)
from pentathlon_engines.tash_kalar.conditions import Conditions
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.geometry import (
    BIT,
    DIRECTION_OF,
    bits,
)
from pentathlon_engines.tash_kalar.table import DEATHMATCH, RANKS_EACH


class Resolving(Conditions):
    """An effect from its first step to its last."""

    __slots__ = ()

    def run(self) -> bool:
        """Go on until the seat must decide; say whether the effect is over instead."""
        effect = self.effect
        if effect is None:
            return True
        while effect.at < effect.stop:
            step = PROGRAMS[effect.program].steps[effect.at]
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
        offers = self._linked_offers(effect, step) if effect.times < most else []
        if not offers:
            effect.go_to(step.end)
            return False
        least = most if step.most_of >= 0 else step.least
        optional = effect.picked < 0 and effect.times >= least
        if step.goes_on and effect.times:
            optional = False
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

    def _linked_offers(self, effect: Effect, step: Step) -> list[int]:
        """Return the actions of a step, of a linked one those that let the next step be done."""
        offers = self.offers(effect, step)
        if not step.linked:
            return offers
        return [action for action in offers if self.leads_on(effect, step, action)]

    def leads_on(self, effect: Effect, step: Step, action: int) -> bool:
        """Say whether the step after a linked one could be done; nothing is changed."""
        twin = self.copy()
        if not isinstance(twin, Resolving) or twin.effect is None:
            return False
        after = twin.effect
        twin._do(after, step, action)
        after.go_to(step.end)
        following = PROGRAMS[effect.program].steps[step.end]
        return twin._enter(after, following) and len(twin._linked_offers(after, following)) > 0

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
        every = step.every_condition
        for condition in step.conditions:
            if (self.is_met(effect, condition) != condition.negated) != every:
                return not every
        return every

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
        """Do what only few beings do by themselves."""
        op = step.op
        if op == WAR_SUMMON:
            self.war = True
            self.directly = step.directly
        elif op == LOSE_ACTION:
            self.actions_left -= step.numbers[0]
        elif op == POSSESS_SUMMON:
            self.possessed = True
        elif op in (CHANGE_SIDE, SLOW_OTHERS):
            self.run_frosty(effect, step)
        elif op >= DOUBLE_DESTROYED:
            self.weave_by_itself(step)
        else:
            self._run_darkly(effect, step)

    def _run_darkly(self, effect: Effect, step: Step) -> None:
        """Do what only beings of the Nethervoid do by themselves (18.2)."""
        if step.op == BECOME_GATEWAY:
            for square in bits(self.selected(effect, step.selector)):
                self.gateway = square
        elif step.op == COUNT_AS_LEGEND:
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
        if step.op >= PICK_SQUARE:
            self.weave(effect, step, action)
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
        else:
            self._play_card(effect, step, CARD_OF[action])
        return False

    def _play_card(self, effect: Effect, step: Step, card: int) -> None:
        """Do what a step says with a card, not with a piece."""
        if step.op == FREEZE:
            self.keep(card)
        elif step.op == THROW_FLARE:
            self._throw_flare(effect, step)
        else:
            self._take(effect, step, card)

    def _move(self, effect: Effect, step: Step, square: int, to: int) -> bool:
        rank = self.rank_at(square)
        direction = DIRECTION_OF[to - square]
        if effect.times == 1:
            effect.runner = square
            if step.rank_lock:
                effect.lock = rank
        if step.straight or step.veers:
            effect.direction = direction
        if square == effect.me:
            effect.moved_self = True
        if step.most_of_owner < UNLIMITED and self.own(self.active) & BIT[square]:
            effect.own_moves += 1
        effect.pool &= ~BIT[square]
        captured = self.move(square, to) - 1
        _record_capture(effect, step, to, captured)
        if step.slot >= 0:
            effect.directions[step.slot] = direction
        return _ends_with(effect, step, captured % RANKS_EACH if captured >= 0 else -1, rank)

    def _leap(self, effect: Effect, step: Step, to: int) -> bool:
        square = effect.picked if effect.picked >= 0 else effect.me
        effect.picked = -1
        _record_capture(effect, step, to, self.move(square, to) - 1)
        return False

    def _destroy(self, effect: Effect, step: Step, square: int) -> bool:
        effect.record(step.slot, square)
        effect.chosen |= BIT[square]
        if step.for_good:
            self.take_out(square)
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
        elif step.op == MIRROR:
            self.reflect(effect, square)
        effect.record(step.slot, square)

    def _place(self, step: Step, square: int, rank: int) -> None:
        """Put a piece of the stated colour and rank down; The Eldest Tree places commons."""
        if step.op != PLACE:
            self.put(square, self.active, COMMON)
            return
        seat = self.active if step.selector.owner == OWN else 1 - self.active
        self.put(square, seat, rank if step.rank < 0 else step.rank)

    def _do_with_card(self, effect: Effect, step: Step, action: int) -> None:
        if step.op == THROW_FLARE:
            self._throw_flare(effect, step)
        else:
            self._take(effect, step, CARD_OF[action])

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


def _record_capture(effect: Effect, step: Step, to: int, captured: int) -> None:
    """Write a move down, and if that is asked what it captured; -1 is nothing."""
    effect.record(step.slot, to)
    if step.slot >= 0 and captured >= 0 and step.notes_captures:
        effect.ranks[step.slot] |= 1 << captured % RANKS_EACH


def _ends_with(effect: Effect, step: Step, captured: int, rank: int) -> bool:
    """Count a capture by a piece of this rank, -1 for none; say whether it ends the step."""
    if captured == rank:
        effect.captures += 1
    if step.stop == STOP_ONTO_EMPTY:
        return captured < 0
    if step.stop == STOP_CAPTURED_LEGENDARY:
        return captured == LEGENDARY
    return step.kind == BUDGET_OR and captured == rank
