"""What actions and chance do in Tash-Kalar, and how a turn continues (4, 5, 7, 9)."""

from __future__ import annotations

from pentathlon_engines.errors import BadChance
from pentathlon_engines.tash_kalar import chance, events, interpreter, legality, turns
from pentathlon_engines.tash_kalar.actions import (
    CARD_OF,
    CLAIM,
    DISCARD,
    DO_PLACE,
    END,
    END_VERB,
    FINISH,
    FLARE_VERB,
    OTHER_OF,
    PICKUP,
    SQUARE_OF,
    SUMMON,
    THAW_VERB,
    VERB_OF,
    WARP,
)
from pentathlon_engines.tash_kalar.board import BIT, GRID, MARKED, mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    FIRST_LEGEND,
    MAY_BE_GATEWAY,
    PATTERNS,
    PROGRAMS,
    RANK_OF,
    WARP_CARDS,
)
from pentathlon_engines.tash_kalar.cards.patterns import COMMON
from pentathlon_engines.tash_kalar.constants import (
    DEALING,
    DEATHMATCH,
    DRAWING,
    FIRST_ACTIONS,
    MAIN,
    PLACING,
    RANKS_EACH,
    RESOLVING,
    RETURNING,
    SETTING_UP,
    SHORTAGE,
    SHUFFLING,
    TURN_END,
)
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.summoning import shortage_actions, stands_ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

_LONG_LOG: Final = 24
"""A log is cut when it has more events than this; to cut it at each action would cost too much."""


def apply(state: TashKalarPosition, action: int) -> None:
    """Do a legal action of the seat to move."""
    seat = state.to_move or 0
    state.legal = None
    log = state.log
    state.since[seat] = len(log)  # the next events for this seat begin here
    log.append(action << 1 | seat)
    if len(log) > _LONG_LOG:
        _forget_heard(state)
    # Direct calls, because a table would cost the compiled engine some per cent of a move.
    phase = state.phase
    if phase == MAIN:
        state.emptied = 0
        _act(state, action)
    elif phase == PLACING:
        _put_common(state, action)
    elif phase == RETURNING:
        _return(state, action)
    elif phase == RESOLVING:
        interpreter.resolve(state, action)
        _resolve_on(state)
    elif phase == SHORTAGE:
        _pick_up_for_being(state, action)
    elif phase == TURN_END:
        _act_last(state, action)
    else:
        _set_up(state, action)


def _forget_heard(state: TashKalarPosition) -> None:
    """Remove the events that both seats have seen from the log."""
    since = state.since
    heard = min(since[1], since[0])
    if heard:
        del state.log[:heard]
        since[0] -= heard
        since[1] -= heard


def _act(state: TashKalarPosition, action: int) -> None:
    """Do an action of a turn."""
    verb = VERB_OF[action]
    if verb == PICKUP:
        _pick_up(state, action)
    elif verb == DO_PLACE:
        _place(state, action)
    elif verb == SUMMON:
        _summon(state, action)
    else:
        ACT[verb](state, action)


def apply_chance(state: TashKalarPosition, text: str) -> None:
    """Assign schools, deal, or set a new shared deck; raise `BadChance` for another text."""
    state.legal = None
    DEAL[state.phase](state, text)


def _give_schools(state: TashKalarPosition, text: str) -> None:
    if text not in chance.pairs(state):
        raise BadChance(f"{text!r}: write 'decks' and two schools that fit {state.schools}")
    words = text.split(" ")
    state.schools = (words[1], words[2])
    state.options = {**state.options, "decks": words[1:]}
    state.phase = DEALING


def _deal(state: TashKalarPosition, text: str) -> None:
    deal = chance.read_deal(text, state)
    if deal is None:
        raise BadChance(f"{text!r}: write {chance.DEAL_GRAMMAR}")
    state.dealt = None
    state.active = deal.begins
    state.actions_left = FIRST_ACTIONS
    for seat in (0, 1):
        state.set_hand(seat, mask(deal.hands[seat]))
        state.decks[seat] = deal.decks[seat][::-1]
    state.legends, state.flares = deal.legend_deck[::-1], deal.flare_deck[::-1]
    if state.mode == DEATHMATCH:
        state.phase = SETTING_UP
        state.to_move = 1 - state.active
        return
    state.current = sorted(deal.current)
    state.tasks = deal.tasks[::-1]
    turns.turn_up(state)
    state.phase = MAIN
    state.to_move = state.active


def _give_new_deck(state: TashKalarPosition, text: str) -> None:
    pile, name = chance.shuffled(state)
    deck = chance.read_deck(text, pile, name)
    if deck is None:
        cards = chance.write(pile)
        raise BadChance(f"{text!r}: write 'shuffle {name}' and in any order {cards}")
    state.log.append(events.shuffle(name, len(deck)))
    (state.flares if state.new_deck else state.legends)[:] = deck[::-1]
    pile.clear()
    state.to_move = state.active
    turns.draw_on(state)


def _act_last(state: TashKalarPosition, action: int) -> None:
    """Make a free play after the last action, claim a task, or end the turn."""
    verb = VERB_OF[action]
    if verb not in (END_VERB, CLAIM):
        state.emptied = 0
    ACT[verb](state, action)


def _place(state: TashKalarPosition, action: int) -> None:
    state.actions_left -= 1
    _put_common(state, action)


def _put_common(state: TashKalarPosition, action: int) -> None:
    state.put(SQUARE_OF[action], state.active, COMMON)
    _go_on(state)


def _pick_up(state: TashKalarPosition, action: int) -> None:
    """Pick up a piece to place it elsewhere, because none is in supply (5.5)."""
    state.actions_left -= 1
    state.lift(SQUARE_OF[action])
    state.phase = PLACING


def _end(state: TashKalarPosition, action: int) -> None:
    turns.end_turn(state)


def _claim(state: TashKalarPosition, action: int) -> None:
    turns.claim(state, OTHER_OF[action])
    turns.end_turn(state)


def _go_on(state: TashKalarPosition) -> None:
    """Let the active seat continue its turn."""
    if state.actions_left > 0:
        state.phase = MAIN
        return
    closing = legality.end_actions(state)
    if len(closing) > 1:
        state.phase = TURN_END
        state.legal = closing
        return
    state.note(END)
    turns.end_turn(state)


def _set_up(state: TashKalarPosition, action: int) -> None:
    """Place the first pieces of the Deathmatch Duel (4.3)."""
    seat = 1 - state.active
    for marked in MARKED:
        state.put(marked, seat if marked == SQUARE_OF[action] else 1 - seat, COMMON)
    state.to_move = state.active
    state.phase = MAIN


def _discard(state: TashKalarPosition, action: int) -> None:
    """Discard a being; other cards may follow under their decks (5.6)."""
    seat, card = state.active, CARD_OF[action]
    state.actions_left -= 1
    state.discarded = True
    state.lose(seat, card)
    state.put_away(card)
    state.phase = RETURNING
    _finish_empty_hand(state)


def _return(state: TashKalarPosition, action: int) -> None:
    """Put a card from the hand under its deck, or finish (5.6)."""
    if action == FINISH:
        _go_on(state)
        return
    seat, card = state.active, CARD_OF[action]
    state.lose(seat, card)
    if card < FIRST_LEGEND:
        state.decks[seat].insert(0, card)
    else:
        (state.legends if card < FIRST_FLARE else state.flares).insert(0, card)
    _finish_empty_hand(state)


def _finish_empty_hand(state: TashKalarPosition) -> None:
    if not state.loose(state.active):
        state.note(FINISH)
        _go_on(state)


def _summon(state: TashKalarPosition, action: int) -> None:
    """Reveal a being and find a piece for it (7.4, 7.5)."""
    card, square, orientation = CARD_OF[action], SQUARE_OF[action], OTHER_OF[action]
    state.actions_left -= 1
    state.lose(state.active, card)
    if state.pending:
        state.pending &= ~(1 << card)
    state.forget_played(card)
    state.card, state.square, state.shape = card, square, -1
    if orientation >= 0:
        for place, shape in enumerate(PATTERNS[card].shapes):
            if shape.name == orientation:
                state.shape = place
    if state.in_supply(state.active, RANK_OF[state.card]):
        _stand(state)
    elif stands_ready(state, card, square):
        state.lift(square)
        _stand(state)
    else:
        _find_piece(state)


def _find_piece(state: TashKalarPosition) -> None:
    """Let the seat choose which piece becomes the being, if there is a choice."""
    candidates = shortage_actions(state)
    if len(candidates) == 1:
        state.note(candidates[0])
        _pick_up_for_being(state, candidates[0])
    else:
        state.phase = SHORTAGE
        state.legal = candidates


def _pick_up_for_being(state: TashKalarPosition, action: int) -> None:
    state.lift(SQUARE_OF[action])
    _stand(state)


def _stand(state: TashKalarPosition) -> None:
    """Put the being on its square, count, and begin its effect (7.4)."""
    card, square, seat = state.card, state.square, state.active
    onto = 0
    if state.board[square]:
        onto = 1 if (state.board[square] - 1) // RANKS_EACH == seat else 2
        state.destroy(square)
    state.put(square, seat, RANK_OF[card])
    state.summoned.append(card * GRID + square)
    if card >= FIRST_LEGEND and state.mode == DEATHMATCH:
        state.points[seat] += 1
    state.war = state.possessed = state.directly = state.voids = False
    if MAY_BE_GATEWAY[card]:
        _open_gateway(state, square)
    _begin_effect(state, square, max(0, state.shape), onto)
    state.square = state.shape = -1
    _resolve_on(state)


def _open_gateway(state: TashKalarPosition, square: int) -> None:
    """Make a new being the Gateway if there is none, or a lower one (18.2)."""
    gate = state.gateway
    if gate < 0 or state.rank_at(gate) < state.rank_at(square):
        state.gateway = square


def _begin_effect(state: TashKalarPosition, square: int, place: int, onto: int) -> None:
    effect = state.effect = Effect(state.card, square, place)
    effect.stop = PROGRAMS[state.card].free
    shape = PATTERNS[state.card].shapes[place]
    seat = state.active
    if PATTERNS[state.card].refs:
        effect.used = shape.cells_at(square) & ~BIT[square] & ~state.free()
        marks = shape.marks_at(square)
        effect.marked_was_empty = marks != 0 and marks & state.free() == marks
    effect.onto = onto
    effect.discard_was_empty = state.discards[seat] == 0


def _invoke_flare(state: TashKalarPosition, action: int) -> None:
    """Reveal the flare; the halves that hold now take effect (9)."""
    seat = state.active
    held = legality.halves_in_hand(state)
    state.card = state.flare(seat)
    state.lose(seat, state.card)
    if state.mode == DEATHMATCH:
        state.points[1 - seat] += 1
    effect = state.effect = Effect(state.card, -1, 0)
    effect.stop = PROGRAMS[state.card].free
    effect.halves = held
    _resolve_on(state)


def _thaw(state: TashKalarPosition, action: int) -> None:
    """Start the frozen effect of the card in play, which costs no action (18.1)."""
    state.card, state.frozen = state.frozen, -1
    _begin_free_play(state)


def _warp(state: TashKalarPosition, action: int) -> None:
    """Start a warp effect, which costs no action; its card becomes pending (18.3)."""
    state.card = CARD_OF[action]
    state.pending = 1 << state.card
    state.warped |= state.pending
    _begin_free_play(state)


def _begin_free_play(state: TashKalarPosition) -> None:
    effect = state.effect = Effect(state.card, -1, 0)
    effect.at = PROGRAMS[state.card].free
    effect.stop = len(PROGRAMS[state.card].steps)
    _resolve_on(state)


def _resolve_on(state: TashKalarPosition) -> None:
    """Continue the effect; at its end, discard the card and continue the turn."""
    state.phase = RESOLVING
    if not interpreter.run(state):
        return
    seat, card, effect = state.active, state.card, state.effect
    goes_under = effect is not None and effect.goes_under
    is_warp = effect is not None and effect.summon < 0 and WARP_CARDS >> card & 1 == 1
    state.effect = None
    state.card = -1
    if is_warp:
        _go_on(state)
        return
    if goes_under and state.decks[seat]:
        state.decks[seat].insert(0, card)
    elif card < FIRST_LEGEND:
        if card != state.frozen:
            state.discard_openly(card)
    else:
        state.put_with_shared(card)
    _go_on(state)


ACT: Final[dict[str, Callable[[TashKalarPosition, int], None]]] = {
    DISCARD: _discard,
    FLARE_VERB: _invoke_flare,
    THAW_VERB: _thaw,
    WARP: _warp,
    CLAIM: _claim,
    END_VERB: _end,
}
"""The handlers of a turn's rarer actions, by verb; `_act` knows the others."""
DEAL: Final[dict[int, Callable[[TashKalarPosition, str], None]]] = {
    DRAWING: _give_schools,
    DEALING: _deal,
    SHUFFLING: _give_new_deck,
}
"""The handlers of chance texts, by phase; they raise `BadChance` for impossible ones."""
