import math
from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.strength.best import (
    RankInterval,
    are_separable,
    by_strength,
    chances_of_best,
    groups,
    next_pair,
    rank_intervals,
)
from pentathlon_engines.strength.thurstone import Strengths, fit
from tests.engines.strength.fields import draw_truth, round_robin


def _independent(*pairs: tuple[float, float]) -> Strengths:
    """Return strengths with these means and deviations."""
    size = len(pairs)
    return Strengths(
        players=tuple(range(size)),
        mu=tuple(mu for mu, _ in pairs),
        covariance=tuple(
            tuple(sigma**2 if place == other else 0.0 for other in range(size))
            for place, (_, sigma) in enumerate(pairs)
        ),
    )


FIELDS = st.lists(st.tuples(st.floats(0, 50), st.floats(0.1, 9)), min_size=1, max_size=12).map(
    lambda pairs: _independent(*pairs)
)


@pytest.mark.parametrize(("lead", "one", "other"), [(0, 1, 1), (1, 2, 2), (3, 1, 4), (-5, 1, 3)])
def test_of_two_the_better_one_is_best_by_the_normal_distribution(
    lead: float, one: float, other: float
) -> None:
    found = chances_of_best(_independent((25 + lead, one), (25, other)))

    exact = 0.5 * math.erfc(-lead / math.hypot(one, other) / math.sqrt(2))
    assert found.chances[0] == pytest.approx(exact, abs=0.005)
    assert found.error < 0.005


@pytest.mark.parametrize("size", [1, 2, 5, 40])
def test_equals_have_equal_chances(size: int) -> None:
    found = chances_of_best(_independent(*[(25, 3)] * size))

    assert found.chances == pytest.approx([1 / size] * size, abs=0.015)


def test_correlation_is_taken_into_account() -> None:
    """The lead of two that move together is sure, however unsure each of them is."""
    together = Strengths(players=(0, 1), mu=(26.0, 25.0), covariance=((9.0, 8.9), (8.9, 9.0)))

    assert chances_of_best(together).chances[0] == pytest.approx(0.987, abs=0.005)


def test_differences_to_a_mean_have_chances() -> None:
    """Their covariance has no inverse."""
    found = fit(round_robin(draw_truth(6, Random(1), 0.3), 3, Random(2)), draw_probability=0.1)

    chances = chances_of_best(found).chances

    rng, tally = Random(3), [0] * 6
    deviations = [found.deviation(0, other) for other in range(6)]
    assert all(deviation > 0 for deviation in deviations[1:])
    for _ in range(4000):
        shown = [rng.gauss(found.mu[index], found.sigma(index)) for index in range(6)]
        tally[shown.index(max(shown))] += 1
    # In a round robin the differences to the mean are almost independent.
    assert chances == pytest.approx([count / 4000 for count in tally], abs=0.05)


@given(field=FIELDS)
def test_chances_sum_to_one(field: Strengths) -> None:
    found = chances_of_best(field, draws=64)

    assert sum(found.chances) == pytest.approx(1)
    assert min(found.chances) >= 0


def test_no_player_is_no_error() -> None:
    assert chances_of_best(_independent()).chances == ()
    assert groups(_independent()) == []
    assert rank_intervals(_independent()) == []


def test_many_contenders_cost_fewer_draws() -> None:
    found = chances_of_best(_independent(*[(25, 3)] * 300), draws=10**9)

    assert found.error < 0.01


def test_rank_intervals_count_who_can_be_told_apart() -> None:
    found = rank_intervals(_independent((30, 1), (29, 1), (27, 1), (10, 1)))

    assert found == [
        RankInterval(1, 2),
        RankInterval(1, 3),
        RankInterval(2, 3),
        RankInterval(4, 4),
    ]


def test_rank_intervals_read_like_ranks() -> None:
    assert [str(RankInterval(2, 5)), str(RankInterval(3, 3))] == ["2–5", "3"]


def test_level_neighbours_share_a_group() -> None:
    """The first and the third can be told apart, but neither from the second."""
    assert groups(_independent((30, 1), (28, 1), (26, 1), (10, 1))) == [1, 1, 1, 2]


@given(field=FIELDS)
def test_groups_can_be_told_apart(field: Strengths) -> None:
    numbers = groups(field)

    assert sorted(set(numbers)) == list(range(1, max(numbers) + 1))
    for one, other in combinations(range(len(numbers)), 2):
        if numbers[one] != numbers[other]:
            assert are_separable(field, one, other)
    order = [numbers[index] for index in by_strength(field)]
    assert order == sorted(order)


@given(field=FIELDS)
def test_rank_intervals_hold_the_ranks(field: Strengths) -> None:
    intervals = rank_intervals(field)

    for place, index in enumerate(by_strength(field), start=1):
        assert intervals[index].best <= place <= intervals[index].worst


def test_two_that_are_the_same_player_cannot_be_told_apart() -> None:
    """Without any doubt about their difference, which is none."""
    one_and_same = Strengths(players=(0, 1), mu=(25.0, 25.0), covariance=((4.0, 4.0), (4.0, 4.0)))

    assert not are_separable(one_and_same, 0, 1)
    assert groups(one_and_same) == [1, 1]
    assert rank_intervals(one_and_same) == [RankInterval(1, 2), RankInterval(1, 2)]


KEY = bytes(range(32))


def _field(cycles: int = 2, spread: float = 0.5) -> Strengths:
    truth = draw_truth(6, Random(1), spread)
    return fit(round_robin(truth, cycles, Random(2)), draw_probability=0.1)


def test_choice_follows_from_the_key() -> None:
    field = _field()

    pairs = [next_pair(field, key=KEY, turn=turn) for turn in range(20)]

    assert pairs == [next_pair(field, key=KEY, turn=turn) for turn in range(20)]
    assert pairs != [next_pair(field, key=bytes(32), turn=turn) for turn in range(20)]


def test_leaders_come_as_often_as_they_may_be_the_best() -> None:
    field = _field()

    leaders = Counter(next_pair(field, key=KEY, turn=turn)[0] for turn in range(1500))

    chances = chances_of_best(field).chances
    shares = [leaders[player] / 1500 for player in field.players]
    assert shares == pytest.approx(chances, abs=0.05)


def test_challenger_is_the_one_easiest_to_confuse() -> None:
    field = Strengths(
        players=(3, 5, 8),
        mu=(30.0, 28.0, 27.0),
        covariance=((0.01, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 9.0)),
    )

    # The third is farther behind, but much less is known of it.
    assert {next_pair(field, key=KEY, turn=turn) for turn in range(5)} <= {(3, 8), (8, 3), (8, 5)}
    assert (3, 8) in {next_pair(field, key=KEY, turn=turn) for turn in range(5)}


def test_nobody_meets_oneself() -> None:
    field = _field(cycles=1, spread=0.1)

    assert all(len(set(next_pair(field, key=KEY, turn=turn))) == 2 for turn in range(200))


def test_one_player_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="two players"):
        next_pair(fit([], players=(1,), draw_probability=0.1), key=KEY, turn=1)
