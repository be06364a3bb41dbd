import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.strength.sprt import (
    Sprt,
    SprtDecision,
    normalized_elo,
    normalized_ratio,
    spread,
)
from tests.deep import mostly_deep

COUNTS = st.lists(st.integers(0, 500), min_size=5, max_size=5).filter(any)


@pytest.mark.parametrize(
    ("counts", "ratio"),
    [((365, 16618, 36229, 16974, 390), 2.25), ((379, 10170, 21828, 10640, 343), 2.95)],
)
def test_ratio_is_that_of_fishtest(counts: tuple[int, ...], ratio: float) -> None:
    found = normalized_ratio(counts, null_elo=0, alternative_elo=2)

    assert found == pytest.approx(ratio, abs=0.01)


def test_normalized_elo_is_that_of_fishtest() -> None:
    found = normalized_elo((379, 10170, 21828, 10640, 343))

    assert found == pytest.approx((3.05, 2.31), abs=0.005)


def test_ratio_follows_the_formula() -> None:
    """Ten blocks at each end: mean 1/2, variance 1/4."""
    ratio = Sprt(null=0.5, alternative=0.6).ratio((10, 0, 10))

    assert ratio == pytest.approx(10 * math.log(0.25 / 0.26), rel=1e-3)


@given(counts=COUNTS)
def test_mirrored_scores_turn_the_ratio(counts: list[int]) -> None:
    there = Sprt(null=0.45, alternative=0.55).ratio(counts)

    assert Sprt(null=0.45, alternative=0.55).ratio(counts[::-1]) == pytest.approx(-there)


@given(counts=COUNTS)
def test_mean_is_that_of_the_scores(counts: list[int]) -> None:
    seen = spread(counts)

    plain = sum(count * cell / 4 for cell, count in enumerate(counts)) / sum(counts)
    assert seen.mean == pytest.approx(plain, abs=0.005)
    assert seen.variance > 0


def test_looks_begin_at_20_blocks_and_come_every_4() -> None:
    test = Sprt()

    assert [blocks for blocks in range(1, 34) if test.is_look(blocks)] == [20, 24, 28, 32]


def test_one_sided_blocks_end_at_an_early_look() -> None:
    """Without noise the ratio is n ln(.5 / .45), which passes ln 19 after 28 blocks."""
    found, counts = Sprt().run([4] * 100, matches=2)

    assert found == SprtDecision.BETTER
    assert counts == [0, 0, 0, 0, 28]


def test_blocks_that_are_all_lost_refute_the_alternative() -> None:
    assert Sprt().run([0] * 100, matches=2)[0] == SprtDecision.NOT_BETTER


def test_level_blocks_refute_the_alternative() -> None:
    """Without any noise the first look is enough."""
    assert Sprt().run([2] * 100, matches=2)[0] == SprtDecision.NOT_BETTER


def test_few_blocks_decide_nothing() -> None:
    assert Sprt().run([4] * 19, matches=2)[0] == SprtDecision.UNDECIDED


def test_bounds_follow_the_errors() -> None:
    assert Sprt(alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


def _share(found: SprtDecision, *, score: float) -> float:
    """Return how often tests of independent matches with this mean score end so."""
    rng, test, tests = Random(5), Sprt(), 300
    weights = [score - 0.05, 0.1, 0.95 - score]  # a tenth is drawn
    ends = 0
    for _ in range(tests):
        cells = (sum(rng.choices((2, 1, 0), weights, k=2)) for _ in range(1040))
        ends += test.run(cells, matches=2)[0] == found
    return ends / tests


def test_errors_are_about_what_is_stated() -> None:
    assert _share(SprtDecision.BETTER, score=0.5) <= 0.08
    assert _share(SprtDecision.NOT_BETTER, score=0.55) <= 0.08


def exact_error(test: Sprt, *, share: float, wrong: SprtDecision, most: int = 1500) -> float:
    """Return how often a test errs if both matches of a block end alike, over all its courses."""
    chances, found = {0: 1.0}, 0.0
    for blocks in range(1, most + 1):
        after: dict[int, float] = {}
        for won, chance in chances.items():
            after[won + 1] = after.get(won + 1, 0.0) + chance * share
            after[won] = after.get(won, 0.0) + chance * (1 - share)
        chances = {won: chance for won, chance in after.items() if chance > 1e-9}
        if test.is_look(blocks):
            decided = {won: test.decide([blocks - won, 0, 0, 0, won]) for won in chances}
            found += sum(chances[won] for won, end in decided.items() if end == wrong)
            undecided = SprtDecision.UNDECIDED
            chances = {won: chances[won] for won, end in decided.items() if end == undecided}
    return found


@pytest.mark.parametrize("null", mostly_deep([0.5, 0.52, 0.55, 0.6, 0.7, 0.8], keep=[0.5, 0.8]))
def test_stated_error_holds_far_from_one_half(null: float) -> None:
    test = Sprt(null=null, alternative=null + 0.1)
    mirrored = Sprt(null=0.9 - null, alternative=1 - null)

    error = exact_error(test, share=null, wrong=SprtDecision.BETTER)
    other = exact_error(mirrored, share=1 - null, wrong=SprtDecision.NOT_BETTER)

    assert error <= test.alpha
    assert other <= test.beta
    assert exact_error(test, share=null + 0.1, wrong=SprtDecision.NOT_BETTER) <= test.beta


@pytest.mark.parametrize("null", [0.5, 0.45, 0.4, 0.3])
def test_first_look_stays_where_one_half_lies_between(null: float) -> None:
    assert Sprt(null=null, alternative=1 - null + 0.05).first_look == 20
