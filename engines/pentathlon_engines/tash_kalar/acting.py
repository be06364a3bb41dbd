"""The actions of a turn of Tash-Kalar: what is legal, and what it does (5, 7, 9)."""

from __future__ import annotations

from bisect import bisect

from pentathlon_engines.tash_kalar import tasks
from pentathlon_engines.tash_kalar.actions import (
    CARD_OF,
    CLAIM,
    CLAIMS,
    DISCARD,
    DISCARDS,
    DO_PICKUP,
    DO_PLACE,
    END,
    FINISH,
    FLARE,
    OTHER_OF,
    PICKUPS,
    PLACES,
    RETURNS,
    SETUPS,
    SQUARE_OF,
    SUMMON,
    THAW,
    VERB_OF,
    WARP,
)
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FIRST_FLARE,
    FIRST_LEGEND,
    GATEWAY_CARDS,
    NEEDS,
    PATTERNS,
    PROGRAMS,
    RANK_OF,
    WARP_CARDS,
)
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC
from pentathlon_engines.tash_kalar.effect import LOWER, UPPER, Effect
from pentathlon_engines.tash_kalar.geometry import BIT, GRID, MARKED, bits_of, listed
from pentathlon_engines.tash_kalar.table import (
    DEATHMATCH,
    MAIN,
    PLACING,
    RANKS_EACH,
    RESOLVING,
    RETURNING,
    SETTING_UP,
    SHORTAGE,
    TURN_END,
)
from pentathlon_engines.tash_kalar.turns import Turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Draw


class Acting(Turns):
    """What the active seat may do, and how it is done."""

    __slots__ = ()

    def _find_legal(self) -> list[int]:
        phase = self.phase
        if phase == MAIN:
            return self._summonings() if self.directly else self._main_actions()
        if phase == TURN_END:
            return self._end_actions()
        if phase == RESOLVING:
            self.run()
            return self._legal or []
        return self._rare_actions(phase)

    def _rare_actions(self, phase: int) -> list[int]:
        if phase == RETURNING:
            found = [RETURNS[card] for card in self.loose(self.active)]
            found.append(FINISH)
            found.sort()
            return found
        if phase == PLACING:
            return listed(self.empty(), PLACES)
        if phase == SHORTAGE:
            return self.shortage_actions()
        return sorted(SETUPS) if phase == SETTING_UP else []

    def _summonings(self) -> list[int]:
        """Return the summonings, where nothing else may follow (18.1.5)."""
        found: list[int] = []
        self.add_summons(found)
        found.sort()
        return found

    def _main_actions(self) -> list[int]:
        """Return placements, summonings, discards and the flare (5.2, 5.3)."""
        found = self._plays()
        found.sort()
        squares, actions = self._open_squares()
        placements = listed(squares, actions)
        if placements:  # they are in order, and nothing else comes between them
            place = bisect(found, placements[0])
            found[place:place] = placements
        return found

    def _draw_main_action(self, draw: Draw) -> int:
        """Draw one of the main actions; placements are many, and not listed."""
        found = self._plays()
        squares, actions = self._open_squares()
        pick = int(draw() * (len(found) + squares.bit_count()))
        if pick < len(found):
            return found[pick]
        while True:
            square = int(draw() * GRID)
            if squares >> square & 1:
                return actions[square]

    def _plays(self) -> list[int]:
        """Return all main actions with a card, in no order."""
        found: list[int] = []
        self.add_summons(found)
        if not self.discarded:
            held = self.loose(self.active)
            found.extend([DISCARDS[card] for card in held if card < FIRST_LEGEND])
        self._add_free_plays(found)
        return found

    def _open_squares(self) -> tuple[int, list[int]]:
        """Return on which squares a piece is put down, or picked up, and the actions for it."""
        seat = self.active
        if self.two_sided(seat) > 0:
            return self.empty(), PLACES
        first = RANKS_EACH * seat
        return self.pieces[first + COMMON] | self.pieces[first + HEROIC], PICKUPS

    def _end_actions(self) -> list[int]:
        """Return what may close a turn: a flare before, a claim, or nothing (5.7)."""
        found = [END]
        self._add_free_plays(found)
        if self.current:
            seat = self.active
            claimable = [t for t in bits_of(self.current) if tasks.is_satisfied(self, t, seat)]
            found.extend([CLAIMS[task] for task in claimable])
        found.sort()
        return found

    def _add_free_plays(self, found: list[int]) -> None:
        """Add what may be played before and after any action, and costs none (5.3, 18)."""
        if self._halves():
            found.append(FLARE)
        if self.frozen >= 0 and self.can_thaw():
            found.append(THAW)
        self.add_warps(found)

    def _halves(self) -> int:
        """Return which halves of the active seat's flare hold now; 0 without a flare (9.1)."""
        seat = self.active
        hand = self.hands[seat] >> FIRST_FLARE
        return self.halves_of(hand.bit_length() - 1, seat) if hand else 0

    def halves_of(self, flare: int, seat: int) -> int:
        """Return which halves of a flare would hold for a seat now."""
        upper, lower = NEEDS[flare]
        held = 0
        if self.count_upgraded(1 - seat) - self.count_upgraded(seat) >= upper:
            held = UPPER
        if self.count(1 - seat) - self.count(seat) >= lower:
            held |= LOWER
        return held

    def _act(self, action: int) -> None:
        """Begin an action, a flare, a claim, or end the turn."""
        verb = VERB_OF[action]
        if action != END and verb != CLAIM:
            self.emptied = 0
        if verb == SUMMON:
            self._summon(CARD_OF[action], SQUARE_OF[action], OTHER_OF[action])
        elif verb == DO_PLACE:
            self.actions_left -= 1
            self.put(SQUARE_OF[action], self.active, COMMON)
            self._go_on()
        elif verb == DISCARD:
            self._discard(CARD_OF[action])
        elif verb == DO_PICKUP:
            self.actions_left -= 1
            self.lift(SQUARE_OF[action])
            self.phase = PLACING
        elif action == FLARE:
            self._invoke_flare()
        elif action == THAW or verb == WARP:
            self._play_beside(action)
        else:
            self._close(action)

    def _close(self, action: int) -> None:
        """Claim a task if the action is a claim; then the turn ends."""
        if action != END:
            self._claim(OTHER_OF[action])
        self._end_turn()

    def _go_on(self) -> None:
        """Let the active seat do what is left of its turn."""
        if self.actions_left > 0:
            self.phase = MAIN
            return
        self.phase = TURN_END
        self._legal = self._end_actions()
        if len(self._legal) == 1:
            self._legal = None
            self.note(END)
            self._end_turn()

    def _set_up(self, seat: int, square: int) -> None:
        """Put the first pieces of the Deathmatch Duel down (4.3)."""
        for marked in MARKED:
            self.put(marked, seat if marked == square else 1 - seat, COMMON)
        self.to_move = self.active
        self.phase = MAIN

    def _discard(self, card: int) -> None:
        """Discard a being; other cards may follow under their decks (5.6)."""
        seat = self.active
        self.actions_left -= 1
        self.discarded = True
        self.hands[seat] &= ~(1 << card)
        self.put_away(card)
        self.phase = RETURNING
        self._finish_empty_hand()

    def _return(self, action: int) -> None:
        if action == FINISH:
            self._go_on()
            return
        seat, card = self.active, CARD_OF[action]
        self.hands[seat] &= ~(1 << card)
        if card < FIRST_LEGEND:
            self.decks[seat].insert(0, card)
        else:
            (self.legends if card < FIRST_FLARE else self.flares).insert(0, card)
        self._finish_empty_hand()

    def _finish_empty_hand(self) -> None:
        if not self.hands[self.active] & ~self.pending:
            self.note(FINISH)
            self._go_on()

    def _summon(self, card: int, square: int, orientation: int) -> None:
        """Show a being and find a piece for it (7.4, 7.5)."""
        self.actions_left -= 1
        self.hands[self.active] &= ~(1 << card)
        self.pending &= ~(1 << card)
        self.forget_played(card)
        self.card, self.square, self.shape = card, square, -1
        if orientation >= 0:
            for place, shape in enumerate(PATTERNS[card].shapes):
                if shape.name == orientation:
                    self.shape = place
        if self.in_supply(self.active, RANK_OF[self.card]):
            self._stand()
        elif self.stands_ready(card, square):
            self.lift(square)
            self._stand()
        else:
            self._find_piece()

    def _find_piece(self) -> None:
        """Let the seat choose which piece becomes the being, if there is a choice."""
        candidates = self.shortage_actions()
        if len(candidates) == 1:
            self.note(candidates[0])
            self._pick_up_for_being(SQUARE_OF[candidates[0]])
        else:
            self.phase = SHORTAGE

    def _pick_up_for_being(self, square: int) -> None:
        self.lift(square)
        self._stand()

    def _stand(self) -> None:
        """Put the being on its square, count, and begin its effect (7.4)."""
        card, square, seat = self.card, self.square, self.active
        onto = 0
        if self.board[square]:
            onto = 1 if BIT[square] & self.own(seat) else 2
            self.destroy(square)
        self.put(square, seat, RANK_OF[card])
        self.summoned.append(card * GRID + square)
        if card >= FIRST_LEGEND and self.mode == DEATHMATCH:
            self.points[seat] += 1
        self.war = self.possessed = self.directly = self.voids = False
        if GATEWAY_CARDS >> card & 1:
            self._open_gateway(square)
        self._begin_effect(square, max(0, self.shape), onto)
        self.square = self.shape = -1
        self._resolve_on()

    def _open_gateway(self, square: int) -> None:
        """Let a new being become the Gateway: there is none, or a lower one (18.2)."""
        gate = self.gateway
        if gate < 0 or self.rank_at(gate) < self.rank_at(square):
            self.gateway = square

    def _begin_effect(self, square: int, place: int, onto: int) -> None:
        effect = self.effect = Effect(self.card, square, place)
        effect.stop = PROGRAMS[self.card].free
        shape = PATTERNS[self.card].shapes[place]
        seat = self.active
        if PATTERNS[self.card].refs:
            effect.used = shape.cells_at(square) & ~BIT[square] & ~self.empty()
            marks = shape.marks_at(square)
            effect.marked_was_empty = marks != 0 and marks & self.empty() == marks
        effect.onto = onto
        effect.discard_was_empty = self.discards[seat] == 0

    def _invoke_flare(self) -> None:
        """Show the flare; what holds now is what it does (9)."""
        seat = self.active
        held = self._halves()
        self.card = self.hands[seat].bit_length() - 1
        self.hands[seat] &= ~(1 << self.card)
        if self.mode == DEATHMATCH:
            self.points[1 - seat] += 1
        effect = self.effect = Effect(self.card, -1, 0)
        effect.stop = PROGRAMS[self.card].free
        effect.halves = held
        self._resolve_on()

    def _play_beside(self, action: int) -> None:
        """Let a frozen effect or a warp effect happen, which costs no action (18.1, 18.3)."""
        if action == THAW:
            self.card, self.frozen = self.frozen, -1
        else:
            self.card = CARD_OF[action]
            self.pending = 1 << self.card
            self.warped |= self.pending
        effect = self.effect = Effect(self.card, -1, 0)
        effect.at = PROGRAMS[self.card].free
        effect.stop = len(PROGRAMS[self.card].steps)
        self._resolve_on()

    def _resolve_on(self) -> None:
        """Go on with the effect; when it is over discard the card and go on with the turn."""
        self.phase = RESOLVING
        if not self.run():
            return
        seat, card, effect = self.active, self.card, self.effect
        goes_under = effect is not None and effect.goes_under
        is_warp = effect is not None and effect.summon < 0 and WARP_CARDS >> card & 1 == 1
        self.effect = None
        self.card = -1
        if is_warp:
            self._go_on()
            return
        if goes_under and self.decks[seat]:
            self.decks[seat].insert(0, card)
        elif card < FIRST_LEGEND:
            if card != self.frozen:
                self.discard_openly(card)
        else:
            (self.legend_pile if card < FIRST_FLARE else self.flare_pile).append(card)
        self._go_on()
