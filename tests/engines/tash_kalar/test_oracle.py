"""Tash-Kalar: the engine compared with the oracle in a sample of matches and single turns."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.engines.tash_kalar.oracle.cards import DECKS, EXPANSIONS
from tests.engines.tash_kalar.oracle.compare import (
    BASE_PAIRS,
    compare_match,
    compare_turn,
    pairs_of,
)
from tests.engines.tash_kalar.oracle.turns import cards_in


def test_engine_agrees_with_the_oracle() -> None:
    """All pairs of schools in both modes are in the sample, from the deal or from the middle."""
    seen: Counter[str] = Counter()
    for seed in range(12, 38):
        seen += compare_match(seed, BASE_PAIRS)

    assert {"setup", "pickup", "return", "flare", "take", "shuffle", "end deck"} <= set(seen)


@pytest.mark.parametrize("school", EXPANSIONS)
def test_engine_agrees_on_each_expansion(school: str) -> None:
    """Both modes and some of the other schools are in the sample, from the deal or not."""
    pairs = pairs_of([school])
    seen: Counter[str] = Counter()
    for seed in range(2 * len(pairs) - 4, 2 * len(pairs) + 4):
        seen += compare_match(seed, pairs)

    assert {"flare", "pickup", "return"} <= set(seen)


@pytest.mark.parametrize("card", cards_in(DECKS))
def test_engine_agrees_on_each_card(card: str) -> None:
    used = sum(compare_turn(card, seed) for seed in range(3))

    assert used > 0
