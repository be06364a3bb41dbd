"""Tash-Kalar: the engine compared with the oracle in a sample of matches and single turns."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.engines.tash_kalar_oracle import compare_match, compare_turn
from tests.engines.tash_kalar_oracle_turns import CARDS


def test_engine_agrees_with_the_oracle() -> None:
    """All pairs of schools in both modes are in the sample, from the deal or from the middle."""
    seen: Counter[str] = Counter()
    for seed in range(10, 34):
        seen += compare_match(seed)

    assert {"setup", "pickup", "return", "flare", "take", "shuffle", "end deck"} <= set(seen)


@pytest.mark.parametrize("card", CARDS)
def test_engine_agrees_on_each_card(card: str) -> None:
    used = sum(compare_turn(card, seed) for seed in range(3))

    assert used > 0
