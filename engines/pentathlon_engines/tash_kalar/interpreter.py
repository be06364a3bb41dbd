"""The interpreter of effects: asks conditions, runs a step, continues with the next one (8)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar import actions, etherweave, everfrost
from pentathlon_engines.tash_kalar.board import (
    BIT,
    CENTRE,
    COLOURED,
    DIRECTION_OF,
    GREEN,
    RED,
    bits,
)
from pentathlon_engines.tash_kalar.cards import program as words
from pentathlon_engines.tash_kalar.cards.catalogue import CARDS, PROGRAMS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, LEGENDARY
from pentathlon_engines.tash_kalar.constants import DEATHMATCH, RANKS_EACH
from pentathlon_engines.tash_kalar.effect import LOWER, UPPER, Effect
from pentathlon_engines.tash_kalar.offers import list_offers, most_times, squares_hit
from pentathlon_engines.tash_kalar.selection import select, upgradable
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

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


def run(state: TashKalarPosition) -> bool:
    """Run until the seat must decide; return whether the effect has ended instead."""
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


def enter(state: TashKalarPosition, effect: Effect, step: words.Step) -> bool:
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
            # 15, 18.3: the discard pile is hidden, so a card is shown if an effect asks for it.
            state.reveal_discard(CARDS[condition.card])
        if (holds != condition.negated) != every:
            return not every
    return every


def run_automatic(state: TashKalarPosition, effect: Effect, step: words.Step) -> None:
    """Do a step that needs no decision."""
    AUTOMATICS[step.op](state, effect, step)


def _must_ask(state: TashKalarPosition, effect: Effect, step: words.Step) -> bool:
    """Return whether the seat must decide; otherwise do the only option, or skip the step."""
    most = most_times(state, step, effect)
    offers = _linked_offers(state, effect, step) if effect.times < most else []
    if not offers:
        effect.go_to(step.end)
        return False
    least = most if step.most_of >= 0 else step.least
    optional = effect.picked < 0 and effect.times >= least
    if step.goes_on and effect.times:
        optional = False
    if step.op == "choose_one":
        optional = _has_way_out(effect, step)
    if optional:
        offers.append(actions.PASS)
    elif len(offers) == 1:
        state.note(offers[0])
        resolve(state, offers[0])
        return False
    offers.sort()
    state.legal = offers
    return True


def _linked_offers(state: TashKalarPosition, effect: Effect, step: words.Step) -> list[int]:
    """Return the actions of a step; for a linked one, only those that allow the next step."""
    offers = list_offers(state, effect, step)
    if not step.linked:
        return offers
    return [action for action in offers if leads_on(state, effect, step, action)]


def leads_on(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    """Return whether the step after a linked one is possible, without changing anything."""
    twin = state.copy()
    after = twin.effect
    if after is None:
        return False
    perform(twin, after, step, action)
    after.go_to(step.end)
    following = PROGRAMS[effect.program].steps[step.end]
    return enter(twin, after, following) and len(_linked_offers(twin, after, following)) > 0


def _has_way_out(effect: Effect, step: words.Step) -> bool:
    """Return whether one of the options may be declined."""
    for start in step.options:
        option = PROGRAMS[effect.program].steps[start]
        if not option.is_automatic and option.least == 0:
            return True
    return False


def resolve(state: TashKalarPosition, action: int) -> None:
    """Do a decision of the current step."""
    effect = state.effect
    if effect is None:
        return
    step = PROGRAMS[effect.program].steps[effect.at]
    if action == actions.PASS:
        effect.go_to(step.end)
        return
    if step.op == "choose_one":
        effect.go_to(_start_of_option(state, effect, step, action))
        step = PROGRAMS[effect.program].steps[effect.at]
        if step.is_automatic:
            return
        enter(state, effect, step)
    if perform(state, effect, step, action):
        effect.go_to(step.end)


def _start_of_option(
    state: TashKalarPosition, effect: Effect, step: words.Step, action: int
) -> int:
    """Return the start of the option that an action belongs to."""
    steps = PROGRAMS[effect.program].steps
    for start in step.options:
        option = steps[start]
        if option.is_automatic:
            if actions.OPTS[option.label] == action:
                return start
        elif action in list_offers(state, effect, option):
            return start
    return step.end


def perform(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    """Do one decision and return whether it ends the step."""
    return PERFORM[step.op](state, effect, step, action)


def _move(state: TashKalarPosition, effect: Effect, step: words.MoveStep, action: int) -> bool:
    effect.times += 1
    square, to = actions.SQUARE_OF[action], actions.OTHER_OF[action]
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
    """Count a capture by a piece of this rank, -1 for none; return whether it ends the step."""
    if captured == rank:
        effect.captures += 1
    if step.stop == words.STOP_ONTO_EMPTY:
        return captured < 0
    if step.stop == words.STOP_CAPTURED_LEGENDARY:
        return captured == LEGENDARY
    return step.kind == words.BUDGET_OR and captured == rank


def _record_capture(effect: Effect, slot: int, to: int, captured: int) -> None:
    """Record a move, and its capture if a step asks for it; -1 means none."""
    effect.record(slot, to)
    if slot >= 0 and captured >= 0:
        effect.ranks[slot] |= 1 << captured % RANKS_EACH


def _leap(state: TashKalarPosition, effect: Effect, step: words.LeapStep, action: int) -> bool:
    """Pick the piece that leaps, or let it leap."""
    to = actions.SQUARE_OF[action]
    if actions.VERB_OF[action] == actions.DO_PICK:
        effect.picked = to
        return False
    effect.times += 1
    square = effect.picked if effect.picked >= 0 else effect.me
    effect.picked = -1
    captured = state.move(square, to) - 1
    _record_capture(effect, step.slot, to, captured if step.notes_captures else -1)
    return False


def _destroy(
    state: TashKalarPosition, effect: Effect, step: words.DestroyStep, action: int
) -> bool:
    if step.for_good:
        everfrost.take_out(state, actions.SQUARE_OF[action])
    return _strike(state, effect, step, action) == step.stop_rank


def _strike(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> int:
    """Destroy a piece, record it, and return its rank."""
    square = actions.SQUARE_OF[action]
    effect.times += 1
    effect.record(step.slot, square)
    effect.chosen |= BIT[square]
    rank = state.destroy(square)
    if step.slot >= 0:
        effect.ranks[step.slot] |= 1 << rank
    return rank


def _shoot(state: TashKalarPosition, effect: Effect, step: words.ShotStep, action: int) -> bool:
    effect.times += 1
    for square in bits(squares_hit(state, step, effect.me, actions.OTHER_OF[action])):
        effect.record(step.slot, square)
        state.destroy(square)
    return False


def _upgrade(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    square = actions.SQUARE_OF[action]
    state.rerank(square, state.rank_at(square) + 1)
    return _pick(state, effect, step, action)


def _downgrade(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    square = actions.SQUARE_OF[action]
    state.rerank(square, state.rank_at(square) - 1)
    return _pick(state, effect, step, action)


def _convert(state: TashKalarPosition, effect: Effect, step: words.PlaceStep, action: int) -> bool:
    square = actions.SQUARE_OF[action]
    rank = state.destroy(square)
    state.put(square, state.active, rank if step.rank < 0 else step.rank)
    return _pick(state, effect, step, action)


def _place(state: TashKalarPosition, effect: Effect, step: words.PlaceStep, action: int) -> bool:
    seat = state.active if step.selector.owner == words.OWN else 1 - state.active
    state.put(
        actions.SQUARE_OF[action], seat, actions.OTHER_OF[action] if step.rank < 0 else step.rank
    )
    return _pick(state, effect, step, action)


def _place_common(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    state.put(actions.SQUARE_OF[action], state.active, COMMON)
    return _pick(state, effect, step, action)


def _pick(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    """Record the square of an action."""
    square = actions.SQUARE_OF[action]
    effect.times += 1
    effect.chosen |= BIT[square]
    effect.record(step.slot, square)
    return False


def _do_on_square(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    """Destroy, upgrade, downgrade or place, as the action says."""
    verb = actions.VERB_OF[action]
    if verb == actions.DO_DESTROY:
        _strike(state, effect, step, action)
        return False
    return _ON_SQUARE[verb](state, effect, step, action)


def _throw_flare(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    """Put the flare in hand onto the pile of played flares."""
    effect.times += 1
    flare = state.flare(state.active)
    state.lose(state.active, flare)
    state.flare_pile.append(flare)
    effect.record(step.slot, -1)
    return False


def _take(state: TashKalarPosition, effect: Effect, step: words.Step, action: int) -> bool:
    """Put a card from the own discard pile onto the own deck."""
    effect.times += 1
    seat, card = state.active, actions.CARD_OF[action]
    state.discards[seat] &= ~(1 << card)
    state.decks[seat].append(card)
    state.taken[seat] += 1
    effect.record(step.slot, -1)
    return False


# Any: each function has the kind of step that its operation has.
PERFORM: Final[dict[str, Callable[[TashKalarPosition, Effect, Any, int], bool]]] = {
    "moves": _move,
    "leaps": _leap,
    "destroy": _destroy,
    "upgrade": _upgrade,
    "downgrade": _downgrade,
    "convert": _convert,
    "place": _place,
    "shoot": _shoot,
    "per_square": _do_on_square,
    "group": _do_on_square,
    "pick": _pick,
    "recover": _take,
    "throw_flare": _throw_flare,
    "freeze": everfrost.freeze,
    "mirror": everfrost.reflect,
    "pick_square": etherweave.note_square,
    "swap": etherweave.swap,
    "lift": etherweave.lift_onto_card,
    "leap_from_card": etherweave.leap_from_card,
    "copy_warp": etherweave.copy_warp,
    "throw": etherweave.throw,
    "take_back": etherweave.take_back,
}
_ON_SQUARE: Final[dict[str, Callable[[TashKalarPosition, Effect, Any, int], bool]]] = {
    actions.DO_UPGRADE: _upgrade,
    actions.DO_DOWNGRADE: _downgrade,
    actions.DO_PLACE: _place_common,
}


def _destroy_all(state: TashKalarPosition, effect: Effect, step: words.SweepStep) -> None:
    for square in bits(select(state, effect, step.selector)):
        effect.record(step.slot, square)
        state.destroy(square, counted=step.counted)


def _upgrade_all(state: TashKalarPosition, effect: Effect, step: words.Step) -> None:
    for square in bits(select(state, effect, step.selector) & upgradable(state)):
        state.rerank(square, state.rank_at(square) + 1)


def _gain_actions(state: TashKalarPosition, effect: Effect, step: words.GainStep) -> None:
    state.actions_left += step.actions


def _lose_actions(state: TashKalarPosition, effect: Effect, step: words.GainStep) -> None:
    state.actions_left -= step.actions


def _gain_draws(state: TashKalarPosition, effect: Effect, step: words.GainStep) -> None:
    state.extra_draws[0] += step.beings
    state.extra_draws[1] += step.legends


def _gain_turn(state: TashKalarPosition, effect: Effect, step: words.Step) -> None:
    state.extra_granted = True


def _permit_war(state: TashKalarPosition, effect: Effect, step: words.WarStep) -> None:
    state.war = True
    state.directly = step.directly


def _permit_possession(state: TashKalarPosition, effect: Effect, step: words.Step) -> None:
    state.possessed = True


def _become_gateway(state: TashKalarPosition, effect: Effect, step: words.Step) -> None:
    for square in bits(select(state, effect, step.selector)):
        state.gateway = square


def _count_as_legend(state: TashKalarPosition, effect: Effect, step: words.Step) -> None:
    state.raised |= 1 << state.card
    if state.mode == DEATHMATCH:
        state.points[state.active] += 1


def _go_under_deck(state: TashKalarPosition, effect: Effect, step: words.Step) -> None:
    effect.goes_under = True


AUTOMATICS: Final[dict[str, Callable[[TashKalarPosition, Effect, Any], None]]] = {
    "destroy_all": _destroy_all,
    "force_upgrade": _upgrade_all,
    "gain_action": _gain_actions,
    "lose_action": _lose_actions,
    "draw_extra": _gain_draws,
    "extra_turn": _gain_turn,
    "war_summon": _permit_war,
    "possess_summon": _permit_possession,
    "become_gateway": _become_gateway,
    "count_as_legend": _count_as_legend,
    "to_deck_bottom": _go_under_deck,
    "change_side": everfrost.change_side,
    "slow_others": everfrost.slow_enemy,
    "double_destroyed": etherweave.count_double,
    "void_summon": etherweave.permit_voids,
    "recover_last": etherweave.recover_last,
    "discard_legends": etherweave.discard_legends,
}
"""The operations for which `is_automatic` can hold."""
