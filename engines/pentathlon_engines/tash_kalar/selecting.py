"""Which pieces and squares a selector of a step names (13)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.cards.catalogue import PATTERNS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, LEGENDARY
from pentathlon_engines.tash_kalar.cards.program import (
    BOARD,
    ENEMY,
    FIXED,
    GATEWAY,
    LAST_AROUND,
    MARKED_SQUARES,
    MARKED_TWICE,
    MORE_COMMONS,
    MORE_UPGRADED,
    NEAR,
    NEAR_DIAGONAL,
    NEAR_ENEMY,
    NEAR_GATEWAY,
    NEAR_ORTHOGONAL,
    NEAR_OWN,
    NEAR_OWN_HEROIC,
    NEAR_SQUARE_OF,
    NEAR_SUMMON,
    NEAR_TWO_OWN,
    OWN,
    SELF,
    SQUARE_OF_STEP,
    USED,
    WITHIN_DISTANCE,
    Place,
    Selector,
)
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.geometry import (
    ADJACENT,
    ALL,
    BIT,
    DIAGONAL,
    ORTHOGONAL,
    WITHIN,
    bits,
    spread,
)
from pentathlon_engines.tash_kalar.summoning import Summoning
from pentathlon_engines.tash_kalar.table import RANKS_EACH


class Selecting(Summoning):
    """The pieces and squares that steps are about, as masks."""

    __slots__ = ()

    def selected(self, effect: Effect, selector: Selector) -> int:
        """Return the pieces that a selector names."""
        found = self.owned(selector.owner, selector.ranks)
        places = selector.places
        if found and (len(places) > 1 or places[0].kind != BOARD):
            found &= self.at_places(effect, places)
        if selector.without_self and effect.me >= 0:
            found &= ~BIT[effect.me]
        if selector.leaves_out:
            found &= ~self._left_out(effect, selector)
        if selector.own_beside and found:
            found = self._guarded(effect, selector, found)
        if selector.owner_condition and found and not self.holds(selector.owner_condition):
            return 0
        return found

    def _guarded(self, effect: Effect, selector: Selector, squares: int) -> int:
        """Return those pieces that have as many own ones beside them as their rank needs."""
        own = self.own(self.active)
        if selector.without_self and effect.me >= 0:
            own &= ~BIT[effect.me]
        found = 0
        for square in bits(squares):
            if (ADJACENT[square] & own).bit_count() >= selector.own_beside[self.rank_at(square)]:
                found |= BIT[square]
        return found

    def _left_out(self, effect: Effect, selector: Selector) -> int:
        """Return the Gateway or the piece of an earlier step, if that is not meant."""
        found = 0
        if selector.without_gateway and self.gateway >= 0:
            found = BIT[self.gateway]
        slot = selector.without_piece
        if slot >= 0 and effect.pieces[slot] >= 0:
            found |= BIT[effect.pieces[slot]]
        return found

    def owned(self, owner: int, ranks: int) -> int:
        """Return the pieces of an owner, seen from the active seat, of these ranks."""
        found = 0
        pieces = self.pieces
        mine = RANKS_EACH * self.active
        for rank in range(RANKS_EACH):
            if ranks >> rank & 1:
                if owner != ENEMY:
                    found |= pieces[mine + rank]
                if owner != OWN:
                    found |= pieces[RANKS_EACH - mine + rank]
        return found

    def holds(self, condition: int) -> bool:
        """Say whether the enemy has more commons, more upgraded pieces, or more pieces."""
        me, enemy = self.active, 1 - self.active
        if condition == MORE_COMMONS:
            commons = self.counts[RANKS_EACH * me + COMMON]
            return self.counts[RANKS_EACH * enemy + COMMON] > commons
        if condition == MORE_UPGRADED:
            return self.count_upgraded(enemy) > self.count_upgraded(me)
        return self.count(enemy) > self.count(me)

    def can_upgrade(self) -> int:
        """Return the pieces that can be upgraded (6.3)."""
        p = self.pieces
        found = p[COMMON] | p[RANKS_EACH + COMMON]
        for seat in (0, 1):
            if self.legendaries(seat) > 0:
                found |= p[RANKS_EACH * seat + HEROIC]
        return found

    def can_downgrade(self) -> int:
        """Return the pieces that can be downgraded (6.3)."""
        p = self.pieces
        found = p[HEROIC] | p[RANKS_EACH + HEROIC]
        for seat in (0, 1):
            if self.two_sided(seat) > 0:
                found |= p[RANKS_EACH * seat + LEGENDARY]
        return found

    def at_places(self, effect: Effect, places: tuple[Place, ...]) -> int:
        found = 0
        for place in places:
            found |= self._at_place(effect, place)
        return found

    def _at_place(self, effect: Effect, place: Place) -> int:
        """Return the squares of a place; nothing around a being that is gone (7.10)."""
        kind = place.kind
        if kind == BOARD:
            return ALL
        if kind == FIXED:
            return place.number
        if kind <= LAST_AROUND:
            return self._around(effect, place) if effect.me >= 0 else 0
        if kind in (NEAR_OWN, NEAR_ENEMY, NEAR_TWO_OWN, NEAR_OWN_HEROIC):
            return self._beside(kind)
        if kind in (GATEWAY, NEAR_GATEWAY):
            return self._at_gateway(kind)
        return self._remembered(effect, place)

    def _at_gateway(self, kind: int) -> int:
        """Return the square of the Gateway or those around it; nothing without one (18.2)."""
        if self.gateway < 0:
            return 0
        return BIT[self.gateway] if kind == GATEWAY else ADJACENT[self.gateway]

    def _beside(self, kind: int) -> int:
        """Return the squares that are adjacent to enemy pieces, to own ones, or to two such."""
        if kind == NEAR_OWN_HEROIC:
            return spread(self.owned(OWN, 1 << HEROIC))
        if kind != NEAR_TWO_OWN:
            return spread(self.own(self.active if kind == NEAR_OWN else 1 - self.active))
        once = found = 0
        for square in bits(self.own(self.active)):
            found |= once & ADJACENT[square]
            once |= ADJACENT[square]
        return found

    def _remembered(self, effect: Effect, place: Place) -> int:
        """Return the squares of a place that the effect keeps in mind."""
        kind = place.kind
        if kind == USED:
            return effect.used
        if kind == NEAR_SUMMON:
            return ADJACENT[effect.summon]
        if kind in (MARKED_SQUARES, MARKED_TWICE):
            return self.marks(effect) if kind == MARKED_SQUARES else self._more_marks(effect)
        if kind in (NEAR_SQUARE_OF, SQUARE_OF_STEP):
            square = effect.squares[place.number]
            if square < 0:
                return 0
            return ADJACENT[square] if kind == NEAR_SQUARE_OF else BIT[square]
        piece = effect.pieces[place.number]
        return BIT[piece] if piece >= 0 else 0

    def _around(self, effect: Effect, place: Place) -> int:
        """Return the squares of a place that is counted from where the being is."""
        kind, me = place.kind, effect.me
        if kind == SELF:
            return BIT[me]
        if kind == NEAR:
            return ADJACENT[me]
        if kind == NEAR_ORTHOGONAL:
            return ORTHOGONAL[me]
        if kind == NEAR_DIAGONAL:
            return DIAGONAL[me]
        if kind == WITHIN_DISTANCE:
            return WITHIN[place.number][me]
        return PATTERNS[self.card].shapes[effect.shape].rays_at(me)

    def marks(self, effect: Effect) -> int:
        """Return the marked squares of the chosen match."""
        return PATTERNS[self.card].shapes[effect.shape].marks_at(effect.summon)

    def _more_marks(self, effect: Effect) -> int:
        """Return the squares of the chosen match that are marked twice."""
        return PATTERNS[self.card].shapes[effect.shape].more_marks_at(effect.summon)
