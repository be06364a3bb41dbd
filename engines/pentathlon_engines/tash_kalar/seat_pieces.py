"""The pieces of a seat in machine words, which only the compiled engine keeps.

A mask of the arena has 81 bits, and compiled code makes an object for each number of more than 62.
So a mask is cut in two: the low word has six files, the high one three. Plain Python keeps whole
masks and leaves these words alone; with them playouts take 2.2 times as long (7.3 ms, not 3.4).
"""

from __future__ import annotations

from pentathlon_engines.contract.bits import count_bits
from pentathlon_engines.contract.compiler import mypyc_attr
from pentathlon_engines.tash_kalar.board import ALL, GRID, LOW_WORD, WORD
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, HEROIC, LEGENDARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64
    from pentathlon_engines.contract.game import Draw

ALL_LOW: Final[int] = ALL & LOW_WORD
ALL_HIGH: Final[int] = ALL >> WORD


@mypyc_attr(acyclic=True)
class SeatPieces:
    """The pieces of one seat: all of them, the upgraded ones, and the legendary ones."""

    __slots__ = (
        "high",
        "legendaries",
        "legendary_high",
        "legendary_low",
        "low",
        "pieces",
        "upgraded",
        "upgraded_high",
        "upgraded_low",
    )

    low: i64
    high: i64
    upgraded_low: i64
    upgraded_high: i64
    legendary_low: i64
    legendary_high: i64
    pieces: i64
    upgraded: i64
    legendaries: i64
    """The numbers of all pieces, of upgraded and of legendary ones."""

    def __init__(self) -> None:
        self.low = self.high = 0
        self.upgraded_low = self.upgraded_high = 0
        self.legendary_low = self.legendary_high = 0
        self.pieces = self.upgraded = self.legendaries = 0

    def copy(self) -> SeatPieces:
        """Return an independent copy."""
        twin = SeatPieces()
        twin.low, twin.high = self.low, self.high
        twin.upgraded_low, twin.upgraded_high = self.upgraded_low, self.upgraded_high
        twin.legendary_low, twin.legendary_high = self.legendary_low, self.legendary_high
        twin.pieces, twin.upgraded = self.pieces, self.upgraded
        twin.legendaries = self.legendaries
        return twin

    def put(self, square: i64, rank: i64) -> None:
        """Put a piece of this rank on an empty square."""
        self._flip(square, rank)
        self._add(rank, 1)

    def lift(self, square: i64, rank: i64) -> None:
        """Take the piece of this rank off a square."""
        self._flip(square, rank)
        self._add(rank, -1)

    def _add(self, rank: i64, more: i64) -> None:
        self.pieces += more
        if rank >= HEROIC:
            self.upgraded += more
            if rank == LEGENDARY:
                self.legendaries += more

    def _flip(self, square: i64, rank: i64) -> None:
        bit: i64 = 1
        if square < WORD:
            bit <<= square
            self.low ^= bit
            if rank >= HEROIC:
                self.upgraded_low ^= bit
                if rank == LEGENDARY:
                    self.legendary_low ^= bit
            return
        bit <<= square - WORD
        self.high ^= bit
        if rank >= HEROIC:
            self.upgraded_high ^= bit
            if rank == LEGENDARY:
                self.legendary_high ^= bit

    def count_rank(self, rank: int) -> int:
        """Return how many pieces of this rank there are."""
        if rank == COMMON:
            return self.pieces - self.upgraded
        return self.upgraded - self.legendaries if rank == HEROIC else self.legendaries

    def two_sided(self) -> tuple[i64, i64]:
        """Return the mask of the common and heroic pieces in words."""
        return self.low ^ self.legendary_low, self.high ^ self.legendary_high

    def of_rank(self, rank: int) -> int:
        """Return the mask of the pieces of this rank."""
        if rank == COMMON:
            return joined(self.low ^ self.upgraded_low, self.high ^ self.upgraded_high)
        if rank == HEROIC:
            low: i64 = self.upgraded_low ^ self.legendary_low
            return joined(low, self.upgraded_high ^ self.legendary_high)
        return joined(self.legendary_low, self.legendary_high)


def unblocked(one: SeatPieces, other: SeatPieces, rank: int) -> int:
    """Return the mask of squares without a piece of a seat that is above this rank."""
    low, high = unblocked_words(one, other, rank)
    return joined(low, high)


def unblocked_words(one: SeatPieces, other: SeatPieces, rank: int) -> tuple[i64, i64]:
    """Return the words of squares without a piece of a seat that is above this rank."""
    low: i64 = one.legendary_low | other.legendary_low
    high: i64 = one.legendary_high | other.legendary_high
    if rank < COMMON:
        low, high = one.low | other.low, one.high | other.high
    elif rank < HEROIC:
        low = one.upgraded_low | other.upgraded_low
        high = one.upgraded_high | other.upgraded_high
    return ALL_LOW & ~low, ALL_HIGH & ~high


def joined(low: int, high: int) -> int:
    """Return the mask of the squares in two words."""
    return low | high << WORD if high else low


def draw_in_words(low: i64, high: i64, draw: Draw) -> i64:
    """Draw one of the squares in two words, of which there must be at least one."""
    while True:
        square: i64 = int(draw() * GRID)
        if (low >> square if square < WORD else high >> square - WORD) & 1:
            return square


def nth_in_words(low: i64, high: i64, n: i64) -> int:
    """Return the square at this index of two words, in the order of the names of squares.

    >>> nth_in_words(0b1010, 0b1, 1), nth_in_words(0b1010, 0b1, 2)
    (3, 54)
    """
    count: i64 = count_bits(low)
    first: i64 = 0
    word: i64 = low
    if n >= count:
        n -= count
        first, word = WORD, high
    while n > 0:
        word &= word - 1
        n -= 1
    return first + count_bits((word & -word) - 1)
