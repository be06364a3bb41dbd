"""What beings of the Everfrost do: a card in play, its thaw, reflections, losses (18.1)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import KEEPS, PICKS
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FROST_SCHOOLS,
    FROZEN_CARDS,
    PATTERNS,
    PROGRAMS,
    WARP_DECK,
)
from pentathlon_engines.tash_kalar.cards.operations import SLOW_OTHERS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON
from pentathlon_engines.tash_kalar.cards.program import ANY, Step
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.geometry import BIT, EIGHT, STEPS, bits
from pentathlon_engines.tash_kalar.selecting import Selecting
from pentathlon_engines.tash_kalar.table import RANKS_EACH


class Freezing(Selecting):
    """A card in play, and what else only the Everfrost does."""

    __slots__ = ()

    def can_thaw(self) -> bool:
        """Say whether the active seat may thaw its card now, which is in play."""
        if self.schools[self.active] not in FROST_SCHOOLS:
            return False
        program = PROGRAMS[self.frozen]
        return not program.steps[program.free].directly or self._can_weave()

    def _can_weave(self) -> bool:
        """Say whether a summoning is legal for which an enemy piece may serve (18.1.5)."""
        if self.actions_left <= 0:
            return False
        war = self.war
        self.war = True
        can = self.has_summoning()
        self.war = war
        return can

    def has_summoning(self) -> bool:
        """Say whether the active seat may summon anything now."""
        found: list[int] = []
        self.add_summons(found)
        return bool(found)

    def picks_frozen(self) -> bool:
        """Say whether a card of the discard pile is chosen now, to be in play."""
        effect = self.effect
        return effect is not None and PROGRAMS[effect.program].steps[effect.at].from_discard

    def keeps(self, step: Step) -> list[int]:
        """Return which cards may be in play from now on."""
        if step.from_discard:
            pile = self.discards[self.active]
            return [KEEPS[card] for card in FROZEN_CARDS if pile >> card & 1]
        found = [KEEPS[self.card]]
        if self.frozen >= 0:
            found.append(KEEPS[self.frozen])
        return found

    def keep(self, card: int) -> None:
        """Let a card be in play; if it is another than before, that one is discarded."""
        if card == self.frozen:
            return
        if self.frozen >= 0:
            self.discard_openly(self.frozen)
        if self.discards[self.active] >> card & 1:
            self.discards[self.active] &= ~(1 << card)
            self.forget_played(card)
        self.frozen = card

    def discard_openly(self, card: int) -> None:
        """Put a being of the active seat on its discard pile; everybody sees it."""
        self.put_away(card)
        self.played[self.active].append(card)

    def put_away(self, card: int) -> None:
        """Put a being of the active seat on its discard pile; of the Etherweave it is the last."""
        self.discards[self.active] |= 1 << card
        if WARP_DECK >> card & 1:
            self.latest = card

    def forget_played(self, card: int) -> None:
        """A card of the active seat that is seen elsewhere is not in its discard pile."""
        if card in self.played[self.active]:
            self.played[self.active].remove(card)

    def reflections(self, effect: Effect, step: Step) -> list[int]:
        """Return the picks of pieces on marked squares that can be reflected."""
        if self.two_sided(self.active) <= 0:
            return []
        ranks = 0
        for rank, most in enumerate(step.rank_lock):
            if most and effect.lock in (-1, rank):
                ranks |= 1 << rank
        pieces, empty = self.marks(effect) & self.owned(ANY, ranks), self.empty()
        return [PICKS[at] for at in bits(pieces) if empty & self._reflection(effect, at)]

    def _reflection(self, effect: Effect, square: int) -> int:
        """Return the square beyond the line of the pattern's pieces, as a mask."""
        to = PATTERNS[self.card].shapes[effect.shape].reflected(effect.summon, square)
        return BIT[to] if to >= 0 else 0

    def reflect(self, effect: Effect, square: int) -> None:
        """Place a piece like this one on its reflection."""
        rank = effect.lock = self.rank_at(square)
        for to in bits(self._reflection(effect, square)):
            self.put(to, self.active, rank)

    def aimed(self, effect: Effect, step: Step, square: int) -> int:
        """Return where a move may go that begins in an indicated direction."""
        if effect.times == 0:
            directions = PATTERNS[self.card].shapes[effect.shape].directions
        elif step.veers:
            directions = tuple((effect.direction + turn) % EIGHT for turn in (-1, 0, 1))
        else:
            directions = (effect.direction,)
        found = 0
        for direction in directions:
            to = STEPS[square][direction]
            if to >= 0:
                found |= BIT[to]
        return found

    def run_frosty(self, effect: Effect, step: Step) -> None:
        """Slow the enemy, or turn own pieces into commons of the enemy, as many as it has."""
        enemy = 1 - self.active
        if step.op == SLOW_OTHERS:
            self.slowed = enemy
            return
        for square in bits(self.selected(effect, step.selector)):
            if self.two_sided(enemy) > 0:
                self.remove(square)
                self.put(square, enemy, COMMON)

    def take_out(self, square: int) -> None:
        """Let the piece on a square, which is destroyed now, leave the game and count twice."""
        owner, rank = divmod(self.board[square] - 1, RANKS_EACH)
        if owner != self.active:
            self.destroyed[rank] += 1
        self.set_aside(self.board[square], 1)
