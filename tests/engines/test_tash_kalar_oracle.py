"""Tash-Kalar: the engine compared with the oracle, in a sample of all pairs of schools."""

from __future__ import annotations

from collections import Counter

from tests.engines.tash_kalar_oracle import compare_match


def test_engine_agrees_with_the_oracle() -> None:
    seen: Counter[str] = Counter()
    for seed in range(20, 60):
        seen += compare_match(seed)

    assert {"setup", "pickup", "return", "flare", "take", "shuffle", "end deck"} <= set(seen)
    assert len([action for action in seen if action.startswith("summon")]) > 50
