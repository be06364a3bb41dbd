"""The squares where beings can be summoned, in machine words, for compiled code only (7)."""

from __future__ import annotations

from pentathlon_engines.contract.bits import count_bits
from pentathlon_engines.contract.compiler import mypyc_attr
from pentathlon_engines.tash_kalar.actions import SUMMON_TABLE, SUMMONS
from pentathlon_engines.tash_kalar.board import LOW_WORD, WORD
from pentathlon_engines.tash_kalar.cards.catalogue import MOST_CELLS, PATTERNS
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, Pattern, Shape
from pentathlon_engines.tash_kalar.cards.stencils import HIGH, SEEN, lay, lay_all
from pentathlon_engines.tash_kalar.constants import LEGENDARIES
from pentathlon_engines.tash_kalar.seat_pieces import SeatPieces, joined, nth_in_words
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64

    Summons = list[tuple[int, int]]
    """Indices of tables in `SUMMONS` with the squares of each, at least one."""

FEW: Final[int] = MOST_CELLS + max(LEGENDARIES)
"""With more own pieces than this, some are commons or heroics that a pattern does not need."""
_OVERLAP: Final[int] = (1 << SEEN - WORD) - 1
"""The squares of the high word that the low window sees."""


@mypyc_attr(acyclic=True, free_list_len=1)
class Windows:
    """The pieces that fill or block patterns, in the two windows of the stencils.

    The windows overlap, so that each pattern fits into one of them wherever it lies.
    """

    __slots__ = (
        "great_high",
        "great_low",
        "heroics",
        "high",
        "high_upgraded",
        "is_scarce",
        "low",
        "low_upgraded",
        "pieces",
        "side",
        "upgraded_high",
        "upgraded_low",
    )

    low: i64
    high: i64
    low_upgraded: i64
    high_upgraded: i64
    upgraded_low: i64
    upgraded_high: i64
    great_low: i64
    great_high: i64
    pieces: i64
    heroics: i64
    """The numbers of all pieces and of upgraded ones."""

    def __init__(self, state: TashKalarPosition) -> None:
        seat = 1 - state.active if state.possessed else state.active
        side, other = state.sides[seat], state.sides[1 - seat]
        self.side: SeatPieces = side
        self.low = side.low | (side.high & _OVERLAP) << WORD
        self.high = side.low >> HIGH | side.high << WORD - HIGH
        self.low_upgraded = side.upgraded_low | (side.upgraded_high & _OVERLAP) << WORD
        self.high_upgraded = side.upgraded_low >> HIGH | side.upgraded_high << WORD - HIGH
        self.upgraded_low = side.upgraded_low | other.upgraded_low
        self.upgraded_high = side.upgraded_high | other.upgraded_high
        self.great_low = side.legendary_low | other.legendary_low
        self.great_high = side.legendary_high | other.legendary_high
        self.pieces, self.heroics = side.pieces, side.upgraded
        self.is_scarce: bool = (
            side.pieces <= FEW or state.possessed or state.legendaries(state.active) <= 0
        )
        """Whether a being may lack a piece."""

    def matches_at(self, shape: Shape, square: i64) -> bool:
        """Return whether all cells of a shape around this square are filled."""
        stencil = shape.stencil
        if square < SEEN:
            low: i64 = lay(stencil, stencil.low_places, self.low, self.low_upgraded)
            if low >> square & 1:
                return True
        if square < HIGH:
            return False
        high: i64 = lay(stencil, stencil.high_places, self.high, self.high_upgraded)
        return high >> square - HIGH & 1 != 0

    def has_pieces(self, pattern: Pattern) -> bool:
        """Return whether there are as many pieces as a pattern needs."""
        return self.pieces >= pattern.pieces and self.heroics >= pattern.heroics

    def count_summons(self, pattern: Pattern) -> i64:
        """Count the summonings of a being that is neither special nor short of a piece."""
        found: i64 = 0
        places: i64 = _count_tables(pattern)
        for place in range(places):
            low, high = self._squares_of(pattern, place)
            if low | high:
                found += count_bits(low) + count_bits(high)
        return found

    def nth_summons(self, card: int, n: i64) -> int:
        """Return the summoning at this index of those that `count_summons` counts."""
        pattern = PATTERNS[card]
        for place in range(_count_tables(pattern)):
            low, high = self._squares_of(pattern, place)
            here = count_bits(low) + count_bits(high)
            if n < here:
                return SUMMONS[SUMMON_TABLE[card] + place][nth_in_words(low, high, n)]
            n -= here
        raise IndexError(n)

    def add_summons(self, card: int, found: Summons) -> None:
        """Add the summonings of a being that is neither special nor short of a piece."""
        pattern = PATTERNS[card]
        for place in range(_count_tables(pattern)):
            low, high = self._squares_of(pattern, place)
            if low | high:
                found.append((SUMMON_TABLE[card] + place, joined(low, high)))

    def _squares_of(self, pattern: Pattern, place: i64) -> tuple[i64, i64]:
        """Return the squares where a being can be summoned, in one orientation if it matters."""
        low: i64
        high: i64
        if pattern.refs:
            stencil = pattern.stencils[place]
            low = lay(stencil, stencil.low_places, self.low, self.low_upgraded)
            high = lay(stencil, stencil.high_places, self.high, self.high_upgraded)
        else:
            own, upgraded = (self.low, self.high), (self.low_upgraded, self.high_upgraded)
            low, high = lay_all(pattern.stencils, own, upgraded)
        if not low | high:
            return 0, 0
        seen_low: i64 = (low | high << HIGH) & LOW_WORD
        return self._allowed(pattern, seen_low, low >> WORD | high >> WORD - HIGH)

    def _allowed(self, pattern: Pattern, low: i64, high: i64) -> tuple[i64, i64]:
        """Return those of some squares on which a being may stand (7.3)."""
        if pattern.rank == COMMON:
            low &= ~self.upgraded_low
            high &= ~self.upgraded_high
        elif pattern.rank == HEROIC:
            low &= ~self.great_low
            high &= ~self.great_high
        if pattern.requires == COMMON:
            low &= self.side.low
            high &= self.side.high
        elif pattern.requires == HEROIC:
            low &= self.side.upgraded_low
            high &= self.side.upgraded_high
        return low, high


def _count_tables(pattern: Pattern) -> i64:
    """Return the number of a being's tables of summonings; make its stencils if necessary."""
    if not pattern.stencils:
        pattern.make_stencils()
    return pattern.tables
