"""What beings of the Etherweave do beside pieces that move: cards and exchanges (18.3)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import (
    CARD_OF,
    LEAPS_TO,
    OPTS,
    PICKS,
    PICKUPS,
    SQUARE_OF,
    THROWS,
    WARPS,
)
from pentathlon_engines.tash_kalar.cards.catalogue import (
    BOUND_CARDS,
    CARDS,
    FIRST_FLARE,
    FIRST_LEGEND,
    IDS,
    PROGRAMS,
    WARP_CARDS,
)
from pentathlon_engines.tash_kalar.cards.operations import (
    COPY_WARP,
    DOUBLE_DESTROYED,
    LEAP_FROM_CARD,
    LIFT,
    PICK_SQUARE,
    RECOVER_LAST,
    SWAP,
    TAKE_BACK,
    THROW,
    VOID_SUMMON,
)
from pentathlon_engines.tash_kalar.cards.patterns import RANKS
from pentathlon_engines.tash_kalar.cards.program import ANY, IN_DISCARD, Condition, Step
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.frozen import Freezing
from pentathlon_engines.tash_kalar.geometry import bits, bits_of
from pentathlon_engines.tash_kalar.table import RANKS_EACH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_FIRST_ROUND: Final = 2
"""So many turns, one of each seat, are without warp effects."""


class Weaving(Freezing):
    """Steps that only the Etherweave has: what they offer, and how they are done."""

    __slots__ = ()

    def add_warps(self, found: list[int]) -> None:
        """Add the warp effects that the active seat may use now (18.3.2)."""
        cards = self.hands[self.active] & WARP_CARDS
        if cards and self.may_warp():
            found.extend([WARPS[card] for card in bits_of(cards)])

    def may_warp(self) -> bool:
        """Say whether a card in hand may become the pending one."""
        return not self.pending and self.turn > _FIRST_ROUND

    def weaving_offers(self, effect: Effect, step: Step) -> list[int]:
        """Return the actions of one repetition of such a step, in no order."""
        op = step.op
        if op == SWAP:
            return [PICKS[at] for at in bits(self._exchanged(effect, step))]
        if op == PICK_SQUARE:
            squares = self.empty() & self.at_places(effect, step.selector.places)
            return [PICKS[at] for at in bits(squares)]
        if op == LIFT:
            return [PICKUPS[at] for at in bits(self.selected(effect, step.selector))]
        if op == LEAP_FROM_CARD:
            return [LEAPS_TO[to] for to in bits(self._landings_from_card(effect, step))]
        if op == TAKE_BACK:
            return [OPTS[step.label]] if self.pending & ~BOUND_CARDS else []
        actions = WARPS if op == COPY_WARP else THROWS
        return [actions[card] for card in bits_of(self._cards(step))]

    def _exchanged(self, effect: Effect, step: Step) -> int:
        """Return the pieces that may change places, or those that may with the one picked."""
        partners = self.selected(effect, step.partner)
        if effect.picked >= 0:
            return partners & self._like(effect.picked) if step.same_rank else partners
        movers = self.selected(effect, step.selector)
        if not step.same_rank:
            return movers if partners else 0
        found = 0
        for rank in range(len(RANKS)):
            pieces = self.owned(ANY, 1 << rank)
            if partners & pieces:
                found |= movers & pieces
        return found

    def _like(self, square: int) -> int:
        """Return all pieces of the rank of this one."""
        return self.owned(ANY, 1 << self.rank_at(square))

    def _landings_from_card(self, effect: Effect, step: Step) -> int:
        """Return where the piece on the card may land."""
        if not self.on_card:
            return 0
        rank = (self.on_card - 1) % RANKS_EACH
        return self.up_to(rank - 1) & self.at_places(effect, step.selector.places)

    def _cards(self, step: Step) -> int:
        """Return the cards that may be copied or thrown away (18.3.3 to 18.3.5)."""
        seat = self.active
        if not step.kind:
            return self.pending & ~BOUND_CARDS
        if step.op == THROW:
            return self.hands[seat] & ~self.pending
        return self.discards[seat] & WARP_CARDS & ~BOUND_CARDS

    def weave(self, effect: Effect, step: Step, action: int) -> None:
        """Do one decision of such a step."""
        op, card, square = step.op, CARD_OF[action], SQUARE_OF[action]
        if op == SWAP and effect.picked < 0:
            effect.picked = square
            return
        effect.times += 1
        if op == SWAP:
            self.exchange(effect.picked, square)
            effect.picked = -1
        elif op == COPY_WARP:
            self._copy_warp(effect, card)
        elif op == THROW:
            self._throw(card)
        elif op == TAKE_BACK:
            self.pending = 0
        elif op == PICK_SQUARE:
            effect.note_square(step.slot, square)
        elif op == LIFT:
            self.on_card = self.board[square]
            self.remove(square)
            self.set_aside(self.on_card, 1)
        else:
            self._leap_from_card(square)

    def _copy_warp(self, effect: Effect, card: int) -> None:
        """Go on with the warp effect of another card; one that lay unseen is shown."""
        if self.discards[self.active] >> card & 1:
            self._show(card)
        program = PROGRAMS[card]
        effect.go_on_with(card, program.free, len(program.steps))

    def _show(self, card: int) -> None:
        """Let everybody know that a card lies in the active seat's discard pile."""
        played = self.played[self.active]
        if card not in played:
            played.append(card)

    def _throw(self, card: int) -> None:
        """Put a card from the hand openly onto its discard pile."""
        seat = self.active
        self.hands[seat] &= ~(1 << card)
        self.pending &= self.hands[seat]
        if card < FIRST_LEGEND:
            self.discards[seat] |= 1 << card
            self.latest = card
            self._show(card)
        else:
            (self.legend_pile if card < FIRST_FLARE else self.flare_pile).append(card)

    def _leap_from_card(self, square: int) -> None:
        code = self.on_card
        self.on_card = 0
        self.set_aside(code, -1)
        if self.board[square]:
            self.destroy(square)
        self.put(square, (code - 1) // RANKS_EACH, (code - 1) % RANKS_EACH)

    def exchange(self, square: int, other: int) -> None:
        """Let two pieces change places; what is known of them goes with them."""
        gateway = self.gateway
        codes = (self.lift(square) - 1, self.lift(other) - 1)
        for to, code in ((other, codes[0]), (square, codes[1])):
            self.put(to, code // RANKS_EACH, code % RANKS_EACH)
        if gateway in (square, other):
            self.gateway = square + other - gateway
        if self.effect is not None:
            self.effect.exchange(square, other)

    def weave_by_itself(self, step: Step) -> None:
        """Do what needs no decision."""
        op = step.op
        if op == DOUBLE_DESTROYED:
            self.doubled = True
        elif op == VOID_SUMMON:
            self.voids = True
        elif op == RECOVER_LAST:
            self._recover_last()
        else:
            self._discard_legends()

    def _recover_last(self) -> None:
        """Put the most recent discard onto the own deck."""
        seat, card = self.active, self.latest
        if card < 0:
            return
        self.discards[seat] &= ~(1 << card)
        self.decks[seat].append(card)
        self.latest = -1
        if card in self.played[seat]:
            self.played[seat].remove(card)

    def _discard_legends(self) -> None:
        """Put all legends in hand onto the played ones, in the order of their names."""
        seat = self.active
        legends = self.hand_of(seat, 1)
        self.hands[seat] &= ~legends
        self.legend_pile.extend(sorted(bits_of(legends), key=IDS.__getitem__))

    def weaving_holds(self, effect: Effect, condition: Condition) -> bool:
        """Say whether a card lies in the own discard pile, or was warped in this turn."""
        if condition.kind != IN_DISCARD:
            return self.warped >> effect.program & 1 == 1
        card = CARDS[condition.card]
        if not self.discards[self.active] >> card & 1:
            return False
        self._show(card)
        return True
