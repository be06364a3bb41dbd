"""Where the beings of a hand can be summoned, in machine words; only compiled code asks (7)."""

from __future__ import annotations

from pentathlon_engines.contract.bits import count_bits
from pentathlon_engines.tash_kalar.actions import SUMMON_TABLE, SUMMONS
from pentathlon_engines.tash_kalar.board import LOW_WORD, WORD
from pentathlon_engines.tash_kalar.cards.catalogue import PATTERNS, RANK_OF
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, Shape
from pentathlon_engines.tash_kalar.cards.stencils import HIGH, SEEN, lay, lay_all
from pentathlon_engines.tash_kalar.seat_pieces import SeatPieces, joined, nth_in_words
from pentathlon_engines.tash_kalar.state import TashKalarPosition

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64

_OVERLAP: Final[int] = (1 << SEEN - WORD) - 1
"""The squares of the high word that the low window sees."""


class Spots:
    """The squares, at least one, of a table in `SUMMONS`."""

    __slots__ = ("count", "high", "low", "table")

    table: i64
    low: i64
    high: i64
    count: i64

    def __init__(self, table: i64, low: i64, high: i64) -> None:
        self.table = table
        self.low = low
        self.high = high
        self.count = count_bits(low) + count_bits(high)

    def squares(self) -> int:
        """Return the mask of the squares."""
        return joined(self.low, self.high)

    def nth(self, n: int) -> int:
        """Return the summoning at this index."""
        return SUMMONS[self.table][nth_in_words(self.low, self.high, n)]


class Windows:
    """The pieces that fill patterns, in the two windows of the stencils, and what blocks beings.

    The windows overlap, so that each pattern fits into one of them wherever it lies.
    """

    __slots__ = (
        "great_high",
        "great_low",
        "high",
        "high_upgraded",
        "low",
        "low_upgraded",
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

    def matches_at(self, shape: Shape, square: i64) -> bool:
        """Return whether all cells of a shape around this square are filled."""
        if square < SEEN and lay(shape.low, self.low, self.low_upgraded) >> square & 1:
            return True
        if square < HIGH:
            return False
        return lay(shape.high, self.high, self.high_upgraded) >> square - HIGH & 1 != 0

    def add_matches(self, card: int, found: list[Spots]) -> None:
        """Add where a being can be summoned that is neither special nor short of a piece."""
        pattern, table = PATTERNS[card], SUMMON_TABLE[card]
        if not pattern.refs:
            low = lay_all(pattern.low, self.low, self.low_upgraded)
            high = lay_all(pattern.high, self.high, self.high_upgraded)
            if low | high:
                self._add_allowed(card, table, low, high, found)
            return
        for place, stencil in enumerate(pattern.low):
            low = lay(stencil, self.low, self.low_upgraded)
            high = lay(pattern.high[place], self.high, self.high_upgraded)
            if low | high:
                self._add_allowed(card, table + place, low, high, found)

    def _add_allowed(
        self, card: int, table: int, seen_low: i64, seen_high: i64, found: list[Spots]
    ) -> None:
        """Add the squares of a match on which the being may stand (7.3)."""
        low: i64 = (seen_low | seen_high << HIGH) & LOW_WORD
        high: i64 = seen_low >> WORD | seen_high >> WORD - HIGH
        rank, requires = RANK_OF[card], PATTERNS[card].requires
        if rank == COMMON:
            low &= ~self.upgraded_low
            high &= ~self.upgraded_high
        elif rank == HEROIC:
            low &= ~self.great_low
            high &= ~self.great_high
        if requires == COMMON:
            low &= self.side.low
            high &= self.side.high
        elif requires == HEROIC:
            low &= self.side.upgraded_low
            high &= self.side.upgraded_high
        if low | high:
            found.append(Spots(table, low, high))
