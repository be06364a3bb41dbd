"""Bits are counted alike with and without the compiler."""

import random

from pentathlon_engines.contract.bits import count_bits


def test_masks_of_every_size_are_counted() -> None:
    rng = random.Random(1)
    masks = [0, 1, (1 << 62) - 1, *(rng.getrandbits(size) for size in range(1, 63))]

    assert [count_bits(mask) for mask in masks] == [mask.bit_count() for mask in masks]
