"""Tash-Kalar: the engine compared with the oracle in a sample of matches and single turns."""

from collections import Counter

import pytest

from pentathlon_engines.contract import game
from pentathlon_engines.tash_kalar.cards.catalogue import CARDS
from tests.engines.tash_kalar import coverage
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


IS_COMPILED = not (game.__file__ or "").endswith(".py")


@pytest.mark.deep
@pytest.mark.skipif(IS_COMPILED, reason="a compiled interpreter cannot be watched at work")
def test_every_branch_of_every_effect_is_reached() -> None:
    lines, missing = coverage.report(tries=600)

    assert missing == 0, "\n".join(lines)
    assert not [line for line in lines if " 0 plays" in line]
    assert len(lines) == 132 + 1


def test_a_branch_that_cannot_be_reached_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coverage, "play", lambda card, rng: {(0, "upgrade")})
    sapling = CARDS["sapling"]

    assert coverage.unreached(sapling, tries=3) == (set(), 1)
    assert coverage.unreached(CARDS["werewolf"], tries=3)[0]
