"""Count the bits of a mask without making an object, for hot code."""

from __future__ import annotations

from pentathlon_engines.contract.compiler import is_compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from pentathlon_engines.contract.compiler import i64


def count_bits(mask: int) -> int:
    """Return how many bits are set in a mask of at most 62 bits.

    In compiled code, a method of a number is a call through Python; a few shifts cost a tenth of
    that.

    >>> count_bits(0b1011)
    3
    """
    if not IS_COMPILED:
        return mask.bit_count()
    word: i64 = mask
    pairs: i64 = word - (word >> 1 & 0x1555555555555555)
    fours: i64 = (pairs & 0x3333333333333333) + (pairs >> 2 & 0x3333333333333333)
    eights: i64 = fours + (fours >> 4) & 0x0F0F0F0F0F0F0F0F
    halves: i64 = eights + (eights >> 8)
    halves += halves >> 16
    return halves + (halves >> 32) & 127


IS_COMPILED: Final = is_compiled(count_bits)
"""Whether this is compiled. Hot code asks first: in plain Python the method is faster."""
