"""Shuffle lists as `random.Random.shuffle` does, but with fewer calls, for hot code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import TypeVar

    Item = TypeVar("Item")


def shuffle(items: list[Item], rng: Random) -> None:
    """Put a list into random order, all orders being equally likely.

    The order is the one that the generator's own method gives, in every version of Python. Records
    depend on that order: to verify one, we draw again from its seed.

    >>> from random import Random
    >>> mine, theirs = list("shuffle"), list("shuffle")
    >>> shuffle(mine, Random(3))
    >>> Random(3).shuffle(theirs)
    >>> mine == theirs
    True
    """
    draw = rng.getrandbits
    last = len(items) - 1
    bits = (last + 1).bit_length()
    while last > 0:
        if last + 1 < 1 << bits - 1:
            bits -= 1
        other = draw(bits)
        while other > last:
            other = draw(bits)
        items[last], items[other] = items[other], items[last]
        last -= 1
