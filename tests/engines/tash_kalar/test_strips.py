"""A strip lays all shapes of a pattern at once, and finds what each shape finds by itself."""

import random

from pentathlon_engines.tash_kalar.board import ALL, SQUARES, mask
from pentathlon_engines.tash_kalar.cards.catalogue import IDS, PATTERNS
from pentathlon_engines.tash_kalar.cards.patterns import matches

CROWDS = (0, 5, 15, 40, len(SQUARES))


def test_strip_finds_what_each_shape_finds() -> None:
    rng = random.Random(7)
    for name, pattern, pieces in (
        (name, pattern, pieces)
        for name, pattern in zip(IDS, PATTERNS, strict=False)
        for pieces in CROWDS
    ):
        squares = rng.sample(SQUARES, pieces)
        own, upgraded = mask(squares), mask(squares[: (pieces + 1) // 2])

        found = pattern.strip.lay(own, upgraded)

        bands = [matches(shape, own, upgraded) for shape in pattern.shapes]
        together = 0
        for band in bands:
            together |= band
        while bands and not bands[-1]:
            bands.pop()
        assert pattern.strip.bands(found) == bands, name
        assert pattern.strip.fold(found) & ALL == together, name
