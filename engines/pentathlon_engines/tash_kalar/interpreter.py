"""Doing what a step of an effect says, and going on to the next one (8)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar import etherweave, everfrost
from pentathlon_engines.tash_kalar.actions import (
    CARD_OF,
    DO_DESTROY,
    DO_DOWNGRADE,
    DO_PICK,
    DO_PLACE,
    DO_UPGRADE,
    OPTS,
    OTHER_OF,
    PASS,
    SQUARE_OF,
    VERB_OF,
)
from pentathlon_engines.tash_kalar.board import BIT, DIRECTION_OF, bits
from pentathlon_engines.tash_kalar.cards import operations as ops
from pentathlon_engines.tash_kalar.cards import program as words
from pentathlon_engines.tash_kalar.cards.catalogue import CARDS, PROGRAMS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, LEGENDARY
from pentathlon_engines.tash_kalar.conditions import is_met
from pentathlon_engines.tash_kalar.constants import DEATHMATCH, RANKS_EACH
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.offers import list_offers, most_times, squares_hit
from pentathlon_engines.tash_kalar.selection import select, upgradable
from pentathlon_engines.tash_kalar.state import Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final


def run(state: Position) -> bool:
    """Go on until the seat must decide; say whether the effect is over instead."""
    effect = state.effect
    if effect is None:
        return True
    while effect.at < effect.stop:
        step = PROGRAMS[effect.program].steps[effect.at]
        if not effect.entered and not enter(state, effect, step):
            effect.go_to(step.end)
        elif step.is_automatic:
            run_automatic(state, effect, step)
            effect.go_to(step.end)
        elif _must_ask(state, effect, step):
            return False
    return True


def enter(state: Position, effect: Effect, step: words.Step) -> bool:
    """Begin a step if its condition holds."""
    effect.entered = True
    if step.each_once:
        effect.pool = select(state, effect, step.selector)
    if not step.conditions:
        return True
    every = step.every_condition
    for condition in step.conditions:
        holds = is_met(state, effect, condition)
        if holds and condition.card:
            # 15, 18.3: the discard pile is hidden, so a card that an effect asks for is shown.
            state.reveal_discard(CARDS[condition.card])
        if (holds != condition.negated) != every:
            return not every
    return every


def run_automatic(state: Position, effect: Effect, step: words.Step) -> None:
    """Do a step that needs no decision."""
    AUTOMATICS[step.op](state, effect, step)


def _must_ask(state: Position, effect: Effect, step: words.Step) -> bool:
    """Say whether the seat must decide; else do the only thing, or leave the step."""
    most = most_times(state, step, effect)
    offers = _linked_offers(state, effect, step) if effect.times < most else []
    if not offers:
        effect.go_to(step.end)
        return False
    least = most if step.most_of >= 0 else step.least
    optional = effect.picked < 0 and effect.times >= least
    if step.goes_on and effect.times:
        optional = False
    if step.op == ops.CHOOSE:
        optional = _has_way_out(effect, step)
    if optional:
        offers.append(PASS)
    elif len(offers) == 1:
        state.note(offers[0])
        resolve(state, offers[0])
        return False
    offers.sort()
    state.legal = offers
    return True


def _linked_offers(state: Position, effect: Effect, step: words.Step) -> list[int]:
    """Return the actions of a step, of a linked one those that let the next step be done."""
    offers = list_offers(state, effect, step)
    if not step.linked:
        return offers
    return [action for action in offers if leads_on(state, effect, step, action)]


def leads_on(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    """Say whether the step after a linked one could be done; nothing is changed."""
    twin = state.copy()
    after = twin.effect
    if after is None:
        return False
    perform(twin, after, step, action)
    after.go_to(step.end)
    following = PROGRAMS[effect.program].steps[step.end]
    return enter(twin, after, following) and len(_linked_offers(twin, after, following)) > 0


def _has_way_out(effect: Effect, step: words.Step) -> bool:
    """Say whether one of the options may be declined."""
    for start in step.options:
        option = PROGRAMS[effect.program].steps[start]
        if not option.is_automatic and option.least == 0:
            return True
    return False


def resolve(state: Position, action: int) -> None:
    """Do a decision of the step at hand."""
    effect = state.effect
    if effect is None:
        return
    step = PROGRAMS[effect.program].steps[effect.at]
    if action == PASS:
        effect.go_to(step.end)
        return
    if step.op == ops.CHOOSE:
        effect.go_to(_start_of_option(state, effect, step, action))
        step = PROGRAMS[effect.program].steps[effect.at]
        if step.is_automatic:
            return
        enter(state, effect, step)
    if perform(state, effect, step, action):
        effect.go_to(step.end)


def _start_of_option(state: Position, effect: Effect, step: words.Step, action: int) -> int:
    """Return where the option begins to which an action belongs."""
    steps = PROGRAMS[effect.program].steps
    for start in step.options:
        option = steps[start]
        if option.is_automatic:
            if OPTS[option.label] == action:
                return start
        elif action in list_offers(state, effect, option):
            return start
    return step.end


def perform(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    """Do one decision and say whether it ends the step."""
    return PERFORM[step.op](state, effect, step, action)


def _move(state: Position, effect: Effect, step: words.MoveStep, action: int) -> bool:
    effect.times += 1
    square, to = SQUARE_OF[action], OTHER_OF[action]
    rank = state.rank_at(square)
    direction = DIRECTION_OF[to - square]
    if effect.times == 1:
        effect.runner = square
        if step.rank_lock:
            effect.lock = rank
    if step.straight or step.veers:
        effect.direction = direction
    if square == effect.me:
        effect.moved_self = True
    if step.most_of_owner < words.UNLIMITED and state.own(state.active) & BIT[square]:
        effect.own_moves += 1
    effect.pool &= ~BIT[square]
    captured = state.move(square, to) - 1
    _record_capture(effect, step.slot, to, captured if step.notes_captures else -1)
    if step.slot >= 0:
        effect.directions[step.slot] = direction
    return _ends_moves(effect, step, captured % RANKS_EACH if captured >= 0 else -1, rank)


def _ends_moves(effect: Effect, step: words.MoveStep, captured: int, rank: int) -> bool:
    """Count a capture by a piece of this rank, -1 for none; say whether it ends the step."""
    if captured == rank:
        effect.captures += 1
    if step.stop == words.STOP_ONTO_EMPTY:
        return captured < 0
    if step.stop == words.STOP_CAPTURED_LEGENDARY:
        return captured == LEGENDARY
    return step.kind == words.BUDGET_OR and captured == rank


def _record_capture(effect: Effect, slot: int, to: int, captured: int) -> None:
    """Write a move down, and what it captured if that is asked; -1 is nothing."""
    effect.record(slot, to)
    if slot >= 0 and captured >= 0:
        effect.ranks[slot] |= 1 << captured % RANKS_EACH


def _leap(state: Position, effect: Effect, step: words.LeapStep, action: int) -> bool:
    """Pick the piece that leaps, or let it leap."""
    to = SQUARE_OF[action]
    if VERB_OF[action] == DO_PICK:
        effect.picked = to
        return False
    effect.times += 1
    square = effect.picked if effect.picked >= 0 else effect.me
    effect.picked = -1
    captured = state.move(square, to) - 1
    _record_capture(effect, step.slot, to, captured if step.notes_captures else -1)
    return False


def _destroy(state: Position, effect: Effect, step: words.DestroyStep, action: int) -> bool:
    if step.for_good:
        everfrost.take_out(state, SQUARE_OF[action])
    return _strike(state, effect, step, action) == step.stop_rank


def _strike(state: Position, effect: Effect, step: words.Step, action: int) -> int:
    """Destroy a piece, write that down, and return its rank."""
    square = SQUARE_OF[action]
    effect.times += 1
    effect.record(step.slot, square)
    effect.chosen |= BIT[square]
    rank = state.destroy(square)
    if step.slot >= 0:
        effect.ranks[step.slot] |= 1 << rank
    return rank


def _shoot(state: Position, effect: Effect, step: words.ShotStep, action: int) -> bool:
    effect.times += 1
    for square in bits(squares_hit(state, step, effect.me, OTHER_OF[action])):
        effect.record(step.slot, square)
        state.destroy(square)
    return False


def _upgrade(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    square = SQUARE_OF[action]
    state.rerank(square, state.rank_at(square) + 1)
    return _pick(state, effect, step, action)


def _downgrade(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    square = SQUARE_OF[action]
    state.rerank(square, state.rank_at(square) - 1)
    return _pick(state, effect, step, action)


def _convert(state: Position, effect: Effect, step: words.PlaceStep, action: int) -> bool:
    square = SQUARE_OF[action]
    rank = state.destroy(square)
    state.put(square, state.active, rank if step.rank < 0 else step.rank)
    return _pick(state, effect, step, action)


def _place(state: Position, effect: Effect, step: words.PlaceStep, action: int) -> bool:
    seat = state.active if step.selector.owner == words.OWN else 1 - state.active
    state.put(SQUARE_OF[action], seat, OTHER_OF[action] if step.rank < 0 else step.rank)
    return _pick(state, effect, step, action)


def _place_common(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    state.put(SQUARE_OF[action], state.active, COMMON)
    return _pick(state, effect, step, action)


def _pick(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    """Write down on which square something was done."""
    square = SQUARE_OF[action]
    effect.times += 1
    effect.chosen |= BIT[square]
    effect.record(step.slot, square)
    return False


def _do_on_square(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    """Destroy, upgrade, downgrade or place, as the action says."""
    verb = VERB_OF[action]
    if verb == DO_DESTROY:
        _strike(state, effect, step, action)
        return False
    return _ON_SQUARE[verb](state, effect, step, action)


def _throw_flare(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    """Put the flare in hand onto the flares that were played."""
    effect.times += 1
    flare = state.hand_of(state.active, 2)
    state.hands[state.active] ^= flare
    state.flare_pile.append(flare.bit_length() - 1)
    effect.record(step.slot, -1)
    return False


def _take(state: Position, effect: Effect, step: words.Step, action: int) -> bool:
    """Put a card from the own discard pile onto the own deck."""
    effect.times += 1
    seat, card = state.active, CARD_OF[action]
    state.discards[seat] &= ~(1 << card)
    state.decks[seat].append(card)
    state.taken[seat] += 1
    effect.record(step.slot, -1)
    return False


# Any: each function has the kind of step that its operation has.
PERFORM: Final[dict[str, Callable[[Position, Effect, Any, int], bool]]] = {
    ops.MOVES: _move,
    ops.LEAPS: _leap,
    ops.DESTROY: _destroy,
    ops.UPGRADE: _upgrade,
    ops.DOWNGRADE: _downgrade,
    ops.CONVERT: _convert,
    ops.PLACE: _place,
    ops.SHOOT: _shoot,
    ops.PER_SQUARE: _do_on_square,
    ops.GROUP: _do_on_square,
    ops.PICK: _pick,
    ops.RECOVER: _take,
    ops.THROW_FLARE: _throw_flare,
    ops.FREEZE: everfrost.freeze,
    ops.MIRROR: everfrost.reflect,
    ops.PICK_SQUARE: etherweave.note_square,
    ops.SWAP: etherweave.swap,
    ops.LIFT: etherweave.lift_onto_card,
    ops.LEAP_FROM_CARD: etherweave.leap_from_card,
    ops.COPY_WARP: etherweave.copy_warp,
    ops.THROW: etherweave.throw,
    ops.TAKE_BACK: etherweave.take_back,
}
_ON_SQUARE: Final[dict[str, Callable[[Position, Effect, Any, int], bool]]] = {
    DO_UPGRADE: _upgrade,
    DO_DOWNGRADE: _downgrade,
    DO_PLACE: _place_common,
}


def _destroy_all(state: Position, effect: Effect, step: words.SweepStep) -> None:
    for square in bits(select(state, effect, step.selector)):
        effect.record(step.slot, square)
        state.destroy(square, counted=step.counted)


def _upgrade_all(state: Position, effect: Effect, step: words.Step) -> None:
    for square in bits(select(state, effect, step.selector) & upgradable(state)):
        state.rerank(square, state.rank_at(square) + 1)


def _gain_actions(state: Position, effect: Effect, step: words.GainStep) -> None:
    state.actions_left += step.actions


def _lose_actions(state: Position, effect: Effect, step: words.GainStep) -> None:
    state.actions_left -= step.actions


def _gain_draws(state: Position, effect: Effect, step: words.GainStep) -> None:
    state.extra_draws[0] += step.beings
    state.extra_draws[1] += step.legends


def _gain_turn(state: Position, effect: Effect, step: words.Step) -> None:
    state.extra_granted = True


def _permit_war(state: Position, effect: Effect, step: words.WarStep) -> None:
    state.war = True
    state.directly = step.directly


def _permit_possession(state: Position, effect: Effect, step: words.Step) -> None:
    state.possessed = True


def _become_gateway(state: Position, effect: Effect, step: words.Step) -> None:
    for square in bits(select(state, effect, step.selector)):
        state.gateway = square


def _count_as_legend(state: Position, effect: Effect, step: words.Step) -> None:
    state.raised |= 1 << state.card
    if state.mode == DEATHMATCH:
        state.points[state.active] += 1


def _go_under_deck(state: Position, effect: Effect, step: words.Step) -> None:
    effect.goes_under = True


AUTOMATICS: Final[dict[str, Callable[[Position, Effect, Any], None]]] = {
    ops.DESTROY_ALL: _destroy_all,
    ops.FORCE_UPGRADE: _upgrade_all,
    ops.GAIN_ACTION: _gain_actions,
    ops.LOSE_ACTION: _lose_actions,
    ops.DRAW_EXTRA: _gain_draws,
    ops.EXTRA_TURN: _gain_turn,
    ops.WAR_SUMMON: _permit_war,
    ops.POSSESS_SUMMON: _permit_possession,
    ops.BECOME_GATEWAY: _become_gateway,
    ops.COUNT_AS_LEGEND: _count_as_legend,
    ops.TO_DECK_BOTTOM: _go_under_deck,
    ops.CHANGE_SIDE: everfrost.change_side,
    ops.SLOW_OTHERS: everfrost.slow_enemy,
    ops.DOUBLE_DESTROYED: etherweave.count_double,
    ops.VOID_SUMMON: etherweave.permit_voids,
    ops.RECOVER_LAST: etherweave.recover_last,
    ops.DISCARD_LEGENDS: etherweave.discard_legends,
}
"""The operations that `is_automatic` is said of."""
