"""Which beings can be summoned where (7)."""

from __future__ import annotations

from pentathlon_engines.tash_kalar.actions import PICKUPS, SUMMON_TABLE, SUMMONS
from pentathlon_engines.tash_kalar.cards.catalogue import BEINGS, PATTERNS, RANK_OF
from pentathlon_engines.tash_kalar.cards.patterns import (
    COMMON,
    HEROIC,
    LEGENDARY,
    MOST_VOIDS,
    Shape,
    matches,
    matches_with_enemy,
)
from pentathlon_engines.tash_kalar.cards.program import UNLIMITED
from pentathlon_engines.tash_kalar.cards.stencils import HIGH, LOW, joined, lay
from pentathlon_engines.tash_kalar.geometry import BIT, COLOURED, add_bits, bits, listed
from pentathlon_engines.tash_kalar.table import RANKS_EACH, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.compiling import i64

    Pieces = tuple[i64, i64]
    """Own pieces in a window, all and the upgraded ones."""


class Summoning(Table):
    """Matches of the patterns on the board, for the active seat."""

    __slots__ = ()

    def add_summons(self, found: list[int]) -> None:
        """Add all summonings of the active seat to a list, in no order."""
        whose = self.matched()
        own, upgraded = self.own(whose), self.upgraded(whose)
        pieces, heroics = self.count(whose) + self.war, self.count_upgraded(whose) + self.war
        if self.voids:
            pieces += MOST_VOIDS
        low, high = (own & LOW, upgraded & LOW), (own >> HIGH, upgraded >> HIGH)
        commons, legendaries = self._sources(COMMON), self._sources(LEGENDARY)
        for card in self.held(self.active):
            if card >= BEINGS:
                break
            pattern = PATTERNS[card]
            if pieces < pattern.pieces or heroics < pattern.heroics:
                continue
            sources = legendaries if RANK_OF[card] == LEGENDARY else commons
            if sources <= pattern.pieces and not pattern.anywhere:
                self._add_short(card, self._squares_for(card), found)
            else:
                self._add_summons(card, low, high, found)

    def _sources(self, rank: int) -> int:
        """Return how many own pieces may become a being of a rank: if few, all may be needed."""
        if self.in_supply(self.active, rank):
            return UNLIMITED
        first = RANKS_EACH * self.active
        if rank == LEGENDARY:
            return self.counts[first + LEGENDARY]
        return self.counts[first + COMMON] + self.counts[first + HEROIC]

    def matched(self) -> int:
        """Return the seat whose pieces fill the patterns: the active one, unless possessed."""
        return 1 - self.active if self.possessed else self.active

    def _add_summons(self, card: int, low: Pieces, high: Pieces, found: list[int]) -> None:
        """Add the summonings of a being; its pattern is laid over the pieces in two windows."""
        if PATTERNS[card].anywhere:
            self._add_anywhere(card, found)
        elif self.war or self.voids:
            self._add_loose_summons(card, self._squares_for(card), found)
        elif PATTERNS[card].refs:
            self._add_turned_summons(card, low, high, found)
        else:
            self._add_plain_summons(card, low, high, found)

    def _add_plain_summons(self, card: int, low: Pieces, high: Pieces, found: list[int]) -> None:
        """Add the summonings of a being whose orientation does not matter."""
        pattern = PATTERNS[card]
        own, upgraded = low
        squares: i64 = 0
        for stencil in pattern.low:
            squares |= lay(stencil, own, upgraded)
        together: int = squares
        if HIGH:
            own, upgraded = high
            squares = 0
            for stencil in pattern.high:
                squares |= lay(stencil, own, upgraded)
            together = joined(together, squares)
        if together:
            add_bits(together & self._squares_for(card), SUMMONS[SUMMON_TABLE[card]], found)

    def _add_turned_summons(self, card: int, low: Pieces, high: Pieces, found: list[int]) -> None:
        """Add the summonings of a being with an orientation each."""
        pattern = PATTERNS[card]
        table = SUMMON_TABLE[card]
        for place, stencil in enumerate(pattern.low):
            squares: int = lay(stencil, low[0], low[1])
            if HIGH:
                squares = joined(squares, lay(pattern.high[place], high[0], high[1]))
            if squares:
                add_bits(squares & self._squares_for(card), SUMMONS[table + place], found)

    def _add_loose_summons(self, card: int, allowed: int, found: list[int]) -> None:
        """Add the summonings for which not only own pieces may serve (7.6, 18.3.7)."""
        pattern = PATTERNS[card]
        table = SUMMON_TABLE[card]
        together = 0
        for place, shape in enumerate(pattern.shapes):
            squares = self._shape_matches(card, shape) & allowed
            together |= squares
            if pattern.refs:
                add_bits(squares, SUMMONS[table + place], found)
        if not pattern.refs:
            add_bits(together, SUMMONS[table], found)

    def _squares_for(self, card: int) -> int:
        """Return the squares on which this being may stand: who is there, who must be (7.3)."""
        allowed = self.up_to(RANK_OF[card])
        requires = PATTERNS[card].requires
        if requires < 0 or self.war or self.voids:
            return allowed
        whose = self.matched()
        return allowed & (self.own(whose) if requires == COMMON else self.upgraded(whose))

    def _war_matches(self, card: int, shape: Shape) -> int:
        """Return the summon squares of a shape with at most one enemy piece in it (7.6)."""
        seat = self.active
        own = (self.own(seat), self.upgraded(seat))
        enemy = (self.own(1 - seat), self.upgraded(1 - seat))
        pure, mixed = matches_with_enemy(shape, own, enemy)
        requires = PATTERNS[card].requires
        if requires >= 0:
            mixed = (mixed & own[requires]) | (pure & enemy[requires])
            pure &= own[requires]
        return pure | mixed

    def _void_matches(self, card: int, shape: Shape) -> int:
        """Return the summon squares of a shape with at most two empty squares in it (18.3.7)."""
        own, upgraded = self.own(self.active), self.upgraded(self.active)
        empty = self.empty()
        found = shape.with_empty(own, upgraded, empty)
        requires = PATTERNS[card].requires
        if requires == HEROIC:
            return found[MOST_VOIDS] & upgraded
        if requires == COMMON:
            return (found[MOST_VOIDS] & own) | (found[MOST_VOIDS - 1] & empty)
        return found[MOST_VOIDS]

    def _add_anywhere(self, card: int, found: list[int]) -> None:
        """Add the summonings of a being whose pattern has no summon cell (18.3.6)."""
        shapes = PATTERNS[card].shapes
        matched = any(self._shape_matches(card, shape) for shape in shapes)
        if matched and (self.in_supply(self.active, RANK_OF[card]) or self.spare(card, -1, -1)):
            add_bits(self.empty() & ~COLOURED, SUMMONS[SUMMON_TABLE[card]], found)

    def _spare_anywhere(self, card: int) -> int:
        """Return the own pieces that at least one match does not need, wherever it is."""
        needed = -1
        for shape in PATTERNS[card].shapes:
            for at in bits(self._shape_matches(card, shape)):
                needed &= shape.cells_at(at)
        return self.of_type(card) & ~needed

    def _shape_matches(self, card: int, shape: Shape) -> int:
        """Return the summon squares of a shape, whoever is on them."""
        if self.war:
            return self._war_matches(card, shape)
        if self.voids:
            return self._void_matches(card, shape)
        whose = self.matched()
        return matches(shape, self.own(whose), self.upgraded(whose))

    def _add_short(self, card: int, allowed: int, found: list[int]) -> None:
        """Add the summonings that are possible though no piece is in supply (7.5)."""
        pattern = PATTERNS[card]
        table = SUMMON_TABLE[card]
        together = 0
        for place, shape in enumerate(pattern.shapes):
            squares = self._shape_matches(card, shape) & allowed
            together |= squares
            if pattern.refs:
                can = [at for at in bits(squares) if self._has_piece(card, at, place)]
                found.extend([SUMMONS[table + place][at] for at in can])
        if not pattern.refs:
            can = [at for at in bits(together) if self._has_piece(card, at, -1)]
            found.extend([SUMMONS[table][at] for at in can])

    def _has_piece(self, card: int, square: int, place: int) -> bool:
        """Say whether a piece for the being can be had from the board."""
        return self.stands_ready(card, square) or self.spare(card, square, place) != 0

    def of_type(self, card: int) -> int:
        """Return the own pieces on the board of the type that a being needs (2.2)."""
        first = RANKS_EACH * self.active
        if RANK_OF[card] == LEGENDARY:
            return self.pieces[first + LEGENDARY]
        return self.pieces[first + COMMON] | self.pieces[first + HEROIC]

    def stands_ready(self, card: int, square: int) -> bool:
        """Say whether the own piece on the summon square can become the being (7.5 a)."""
        return self.of_type(card) & BIT[square] != 0

    def spare(self, card: int, square: int, place: int) -> int:
        """Return the own pieces that may be picked up for a being (7.5 b).

        With an orientation, those that its match does not use; without, those that at least one
        match does not need.
        """
        shapes = PATTERNS[card].shapes
        if PATTERNS[card].anywhere:
            return self._spare_anywhere(card)
        if place >= 0:
            return self.of_type(card) & ~shapes[place].cells_at(square)
        needed = -1
        for shape in shapes:
            if self._shape_matches(card, shape) & BIT[square]:
                needed &= shape.cells_at(square)
        return self.of_type(card) & ~needed

    def shortage_actions(self) -> list[int]:
        """Return the pickups for the being that is being played."""
        return listed(self.spare(self.card, self.square, self.shape), PICKUPS)
