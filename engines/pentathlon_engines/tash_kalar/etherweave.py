"""Effects of the Etherweave apart from moves: cards and exchanges (18.3)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar import actions
from pentathlon_engines.tash_kalar.board import bits, listed, mask
from pentathlon_engines.tash_kalar.cards.catalogue import (
    BOUND_CARDS,
    FIRST_LEGEND,
    IDS,
    PROGRAMS,
    WARP_CARDS,
    WARP_SCHOOLS,
)
from pentathlon_engines.tash_kalar.cards.patterns import RANKS
from pentathlon_engines.tash_kalar.cards.program import ANY, CardStep, Step, SwapStep
from pentathlon_engines.tash_kalar.constants import RANKS_EACH
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.hand import cards_of_kind
from pentathlon_engines.tash_kalar.selection import at_places, owned, select
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_FIRST_ROUND: Final = 2
"""The number of turns per seat without warp effects."""


def weaver(state: TashKalarPosition) -> int:
    """Return the seat that plays the Etherweave, or -1 if none does."""
    for seat, school in enumerate(state.schools):
        if school in WARP_SCHOOLS:
            return seat
    return -1


def add_warps(state: TashKalarPosition, found: list[int]) -> None:
    """Add the warp effects that the active seat may use now (18.3.2)."""
    cards = mask(state.hands[state.active]) & WARP_CARDS
    if cards and may_warp(state):
        found.extend([actions.WARPS[card] for card in bits(cards)])


def may_warp(state: TashKalarPosition) -> bool:
    """Return whether a card in hand may become the pending one."""
    return not state.pending and state.turn > _FIRST_ROUND


def _partners(state: TashKalarPosition, effect: Effect, step: SwapStep) -> int:
    """Return the pieces that may be picked for an exchange, or exchanged with the picked one."""
    partners = select(state, effect, step.partner)
    if effect.picked >= 0:
        return partners & _like(state, effect.picked) if step.same_rank else partners
    movers = select(state, effect, step.selector)
    if not step.same_rank:
        return movers if partners else 0
    found = 0
    for rank in range(len(RANKS)):
        pieces = owned(state, ANY, 1 << rank)
        if partners & pieces:
            found |= movers & pieces
    return found


def _like(state: TashKalarPosition, square: int) -> int:
    """Return all pieces of the same rank as the one on this square."""
    return owned(state, ANY, 1 << state.rank_at(square))


def offer_swaps(state: TashKalarPosition, effect: Effect, step: SwapStep) -> list[int]:
    """Return the picks of a piece that changes places, or of its partner."""
    return listed(_partners(state, effect, step), actions.PICKS)


def offer_squares(state: TashKalarPosition, effect: Effect, step: Step) -> list[int]:
    """Return the picks of empty squares."""
    return listed(state.free() & at_places(state, effect, step.selector.places), actions.PICKS)


def offer_lifts(state: TashKalarPosition, effect: Effect, step: Step) -> list[int]:
    """Return the pickups of pieces that may lie on the card."""
    return listed(select(state, effect, step.selector), actions.PICKUPS)


def offer_landings(state: TashKalarPosition, effect: Effect, step: Step) -> list[int]:
    """Return the leaps of the piece on the card."""
    if not state.on_card:
        return []
    rank = (state.on_card - 1) % RANKS_EACH
    squares = state.up_to(rank - 1) & at_places(state, effect, step.selector.places)
    return listed(squares, actions.LEAPS_TO)


def offer_taking_back(state: TashKalarPosition, effect: Effect, step: Step) -> list[int]:
    """Return the option to take the pending card back, unless it is bound."""
    return [actions.OPTS[step.label]] if state.pending & ~BOUND_CARDS else []


def offer_copies(state: TashKalarPosition, effect: Effect, step: CardStep) -> list[int]:
    """Return the cards whose warp effect may be copied (18.3.3 to 18.3.5)."""
    cards = state.pending if step.pending else state.discards[state.active] & WARP_CARDS
    return [actions.WARPS[card] for card in bits(cards & ~BOUND_CARDS)]


def offer_throws(state: TashKalarPosition, effect: Effect, step: CardStep) -> list[int]:
    """Return the cards that may be thrown away (18.3.3 to 18.3.5)."""
    cards = bits(state.pending & ~BOUND_CARDS) if step.pending else state.loose(state.active)
    return [actions.THROWS[card] for card in cards]


def swap(state: TashKalarPosition, effect: Effect, step: SwapStep, action: int) -> bool:
    """Pick the first piece, or let it change places with the second."""
    square = actions.SQUARE_OF[action]
    if effect.picked < 0:
        effect.picked = square
        return False
    effect.times += 1
    state.exchange(effect.picked, square)
    effect.picked = -1
    return False


def note_square(state: TashKalarPosition, effect: Effect, step: Step, action: int) -> bool:
    """Record the picked empty square."""
    effect.times += 1
    effect.note_square(step.slot, actions.SQUARE_OF[action])
    return False


def lift_onto_card(state: TashKalarPosition, effect: Effect, step: Step, action: int) -> bool:
    """Put a piece from the board onto the card."""
    effect.times += 1
    square = actions.SQUARE_OF[action]
    state.on_card = state.board[square]
    state.remove(square)
    state.set_aside(state.on_card, 1)
    return False


def leap_from_card(state: TashKalarPosition, effect: Effect, step: Step, action: int) -> bool:
    """Let the piece on the card land."""
    effect.times += 1
    square, code = actions.SQUARE_OF[action], state.on_card
    state.on_card = 0
    state.set_aside(code, -1)
    if state.board[square]:
        state.destroy(square)
    state.put(square, (code - 1) // RANKS_EACH, (code - 1) % RANKS_EACH)
    return False


def copy_warp(state: TashKalarPosition, effect: Effect, step: CardStep, action: int) -> bool:
    """Continue with the warp effect of another card, and reveal it if it was hidden."""
    effect.times += 1
    card = actions.CARD_OF[action]
    if state.discards[state.active] >> card & 1:
        state.reveal_discard(card)
    program = PROGRAMS[card]
    effect.go_on_with(card, program.free, len(program.steps))
    return False


def throw(state: TashKalarPosition, effect: Effect, step: CardStep, action: int) -> bool:
    """Put a card from the hand openly onto its discard pile."""
    effect.times += 1
    seat, card = state.active, actions.CARD_OF[action]
    state.lose(seat, card)
    state.pending &= ~(1 << card)
    if card >= FIRST_LEGEND:
        state.put_with_shared(card)
        return False
    state.discards[seat] |= 1 << card
    state.latest = card
    state.reveal_discard(card)
    return False


def take_back(state: TashKalarPosition, effect: Effect, step: Step, action: int) -> bool:
    """Make the pending card an ordinary card of the hand again."""
    effect.times += 1
    state.pending = 0
    return False


def count_double(state: TashKalarPosition, effect: Effect, step: Step) -> None:
    """Count each destroyed piece twice in this turn."""
    state.doubled = True


def permit_voids(state: TashKalarPosition, effect: Effect, step: Step) -> None:
    """Let empty squares serve the next summoning."""
    state.voids = True


def recover_last(state: TashKalarPosition, effect: Effect, step: Step) -> None:
    """Put the most recent discard onto the own deck."""
    seat, card = state.active, state.latest
    if card < 0:
        return
    state.discards[seat] &= ~(1 << card)
    state.decks[seat].append(card)
    state.latest = -1
    state.forget_played(card)


def discard_legends(state: TashKalarPosition, effect: Effect, step: Step) -> None:
    """Put all legends in hand onto the played ones, in the order of their names."""
    seat = state.active
    legends = bits(cards_of_kind(state.hands[seat], 1))
    for card in legends:
        state.lose(seat, card)
    state.legend_pile.extend(sorted(legends, key=IDS.__getitem__))
