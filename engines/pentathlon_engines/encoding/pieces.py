"""Numbers for learners as pieces of memory: single-precision floats that only need to be joined.

An encoder makes tables of pieces once, and then looks up a piece for each part of a position, so
that whole rows become arrays without a number being handled.

>>> from array import array
>>> array("f", choices(3)[1] + shares(4)[3]).tolist()
[0.0, 1.0, 0.0, 0.75]
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

FLOAT = 4
"""The size of a number in bytes."""


def piece(numbers: Iterable[float]) -> bytes:
    """Return some numbers as a piece."""
    return array("f", numbers).tobytes()


def choices(n: int) -> list[bytes]:
    """Return for each of some choices a number for all: 1 for itself; the last piece has no 1.

    So the piece at -1 stands for no choice.
    """
    return [piece(choice == other for other in range(n)) for choice in (*range(n), -1)]


def shares(most: int, *, up_to: int = 0) -> list[bytes]:
    """Return for each count up to the most, or further, its share of it, which is at most 1."""
    return [piece([min(1.0, count / most)]) for count in range(max(most, up_to) + 1)]


def marks(n: int) -> list[bytes]:
    """Return for each mask of `n` bits a number for each bit."""
    return [piece(mask >> bit & 1 for bit in range(n)) for mask in range(1 << n)]
