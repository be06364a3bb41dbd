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


def test_engine_agrees_with_the_oracle(deep: bool) -> None:
    """The deep sample has all pairs of schools in both modes, from the deal or from the middle."""
    seen: Counter[str] = Counter()
    for seed in range(12, 38, 1 if deep else 3):
        seen += compare_match(seed, BASE_PAIRS)

    assert {"setup", "pickup", "return", "flare", "take", "shuffle", "end deck"} <= set(seen)


@pytest.mark.parametrize("school", EXPANSIONS)
def test_engine_agrees_on_each_expansion(school: str, deep: bool) -> None:
    """Both modes and some of the other schools are in the sample, from the deal or not."""
    pairs, either_side = pairs_of([school]), 4 if deep else 1
    seen: Counter[str] = Counter()
    for seed in range(2 * len(pairs) - either_side, 2 * len(pairs) + either_side):
        seen += compare_match(seed, pairs)

    assert {"flare", "pickup", "return"} <= set(seen)


def test_engine_agrees_on_each_card(deep: bool) -> None:
    for card in cards_in(DECKS):
        used = (compare_turn(card, seed) for seed in range(3))

        assert sum(used) if deep else any(used), card
