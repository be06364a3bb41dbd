import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon.ratings.skill import Skill
from pentathlon.ratings.uncertainty import (
    chances_of_best,
    final_bar,
    groups,
    half_width,
    is_level,
    is_provisional,
    live_bar,
    mean_of,
)

SKILLS = st.lists(st.builds(Skill, st.floats(0, 50), st.floats(0.3, 9)), min_size=1, max_size=12)


class TestChancesOfBest:
    @given(SKILLS)
    def test_they_add_up_to_one(self, skills: list[Skill]) -> None:
        chances = chances_of_best(skills)

        assert sum(chances) == pytest.approx(1)
        assert min(chances) >= 0

    @given(SKILLS)
    def test_order_of_rows_does_not_matter(self, skills: list[Skill]) -> None:
        backwards = chances_of_best(skills[::-1])[::-1]

        assert chances_of_best(skills) == pytest.approx(backwards, abs=1e-9)

    def test_two_equals_share(self) -> None:
        assert chances_of_best([Skill(25, 2), Skill(25, 2)]) == pytest.approx([0.5, 0.5])

    def test_they_agree_with_sampling(self) -> None:
        skills = [Skill(30, 1), Skill(29, 2), Skill(27.5, 0.5), Skill(24, 8)]
        rng = random.Random(7)
        best = [0] * len(skills)
        for _ in range(20_000):
            drawn = [rng.gauss(skill.mu, skill.sigma) for skill in skills]
            best[drawn.index(max(drawn))] += 1

        chances = chances_of_best(skills)

        assert chances == pytest.approx([count / 20_000 for count in best], abs=0.012)

    def test_finer_grid_would_change_nothing(self) -> None:
        wide = [Skill(25, 8), Skill(27, 6)]

        plain = chances_of_best(wide)
        finer = chances_of_best([*wide, Skill(-500, 0.3)])

        assert finer[:2] == pytest.approx(plain, abs=1e-9)

    def test_far_ahead_is_certain(self) -> None:
        assert chances_of_best([Skill(90, 1), Skill(10, 1)]) == pytest.approx([1, 0])

    def test_nobody_gives_nothing(self) -> None:
        assert chances_of_best([]) == []


class TestGroups:
    def test_level_rows_share_a_group(self) -> None:
        table = [Skill(40, 1), Skill(39, 1), Skill(30, 1), Skill(29.5, 1), Skill(10, 1)]

        assert groups(table) == [1, 1, 2, 2, 3]

    def test_a_chain_of_small_steps_is_one_group(self) -> None:
        """Neighbours in it cannot be told apart, so there is no place to cut."""
        assert groups([Skill(40 - step, 1) for step in range(6)]) == [1] * 6

    @given(SKILLS)
    def test_groups_can_be_told_apart(self, skills: list[Skill]) -> None:
        table = sorted(skills, key=lambda skill: -skill.mu)

        numbers = groups(table)

        for upper, lower in combinations(range(len(table)), 2):
            if numbers[upper] != numbers[lower]:
                assert not is_level(table[upper], table[lower])

    def test_empty_table_has_no_groups(self) -> None:
        assert groups([]) == []


def test_level_depends_on_both_sigmas() -> None:
    assert is_level(Skill(30, 1), Skill(27.5, 1))
    assert not is_level(Skill(30, 0.5), Skill(27.5, 0.5))


def test_live_bars_are_differences_to_the_mean() -> None:
    """If all ratings of a pool drift together, no bar moves."""
    field = [Skill(20, 2), Skill(31, 1)]
    drifted = [Skill(skill.mu + 3, skill.sigma) for skill in field]

    bars = [[live_bar(skill, mean=mean_of(some)) for skill in some] for some in (field, drifted)]

    assert bars[0] == bars[1]
    assert bars[0][1].strength == pytest.approx(30.5)
    assert bars[0][1].low == pytest.approx(30.5 - half_width(1))


def test_bar_of_a_final_table_holds_95_percent() -> None:
    bar = final_bar(Skill(25, 2))

    assert (bar.low, bar.high) == pytest.approx((21.08, 28.92))


def test_field_of_nobody_has_the_prior_mean() -> None:
    assert live_bar(Skill(), mean=mean_of([])).strength == 25


@pytest.mark.parametrize(("sigma", "expected"), [(8.3, True), (1.91, True), (1.9, False)])
def test_rating_is_provisional_while_sigma_is_large(sigma: float, expected: bool) -> None:
    assert is_provisional(Skill(25, sigma)) is expected
