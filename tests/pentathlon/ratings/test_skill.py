import math
from decimal import Decimal, getcontext
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trueskill import Rating, TrueSkill

from pentathlon.ratings.skill import MU, SIGMA, Result, Skill, draw_probability, fold, rate

SKILLS = st.builds(Skill, st.floats(-50, 100), st.floats(0.2, 9))
DRAWS = st.sampled_from((0.005, 0.05, 0.1, 0.5))


def _numbers(skills: list[Skill]) -> list[float]:
    return [number for skill in skills for number in (skill.mu, skill.sigma)]


class TestGoldenValues:
    """Numbers that every implementation of TrueSkill gives, whoever wrote it."""

    @pytest.mark.parametrize(
        ("ranks", "expected"),
        [
            ((0, 1), [29.395832, 7.171476, 20.604168, 7.171476]),
            ((1, 0), [20.604168, 7.171476, 29.395832, 7.171476]),
            ((0, 0), [25.0, 6.457520, 25.0, 6.457520]),
            ((0, 1, 2), [31.675352, 6.655985, 25.0, 6.207897, 18.324648, 6.655985]),
            (
                (0, 1, 2, 3),
                [
                    33.206681,
                    6.348109,
                    27.401455,
                    5.787168,
                    22.598545,
                    5.787168,
                    16.793319,
                    6.348109,
                ],
            ),
        ],
    )
    def test_first_match_gives_known_numbers(
        self, ranks: tuple[int, ...], expected: list[float]
    ) -> None:
        # The published numbers let skills drift by 25/300 before each match.
        start = Skill(MU, math.hypot(SIGMA, 25 / 300))

        rated = rate([start] * len(ranks), ranks, draw_probability=0.1)

        assert _numbers(rated) == pytest.approx(expected, abs=1e-4)

    def test_stored_floats_keep_their_value(self) -> None:
        rated = rate([Skill(31.25, 2.5), Skill(22.75, 4.125)], (1, 0), draw_probability=0.05)

        assert _numbers(rated) == pytest.approx(
            [29.888694734422888, 2.3870921805743346, 26.456153585533684, 3.595239524925569],
            rel=1e-13,
        )


class TestRate:
    def test_numbers_are_those_of_the_package(self) -> None:
        table = [Skill(31.25, 2.5), Skill(22.75, 4.125), Skill(25, 8)]
        plain = TrueSkill(tau=0, draw_probability=0.05)

        ours = rate(table, (1, 0, 1), draw_probability=0.05)

        theirs = plain.rate([(Rating(skill.mu, skill.sigma),) for skill in table], [1, 0, 1])
        assert _numbers(ours) == [value for (one,) in theirs for value in (one.mu, one.sigma)]

    @given(st.lists(st.tuples(SKILLS, st.integers(0, 4)), min_size=2, max_size=5), DRAWS)
    def test_sigma_never_grows(self, table: list[tuple[Skill, int]], draws: float) -> None:
        before = [skill for skill, _ in table]

        after = rate(before, [rank for _, rank in table], draw_probability=draws)

        for old, new in zip(before, after, strict=True):
            assert 0 < new.sigma <= old.sigma * (1 + 1e-9)
            assert math.isfinite(new.mu)

    @given(SKILLS, DRAWS)
    def test_tie_of_equals_moves_nobody(self, skill: Skill, draws: float) -> None:
        first, second = rate([skill, skill], (0, 0), draw_probability=draws)

        assert first.mu == pytest.approx(skill.mu)
        assert second.mu == pytest.approx(skill.mu)
        assert first.sigma == pytest.approx(second.sigma)

    @given(SKILLS, SKILLS, DRAWS)
    def test_winner_rises_and_loser_falls(self, winner: Skill, loser: Skill, draws: float) -> None:
        first, second = rate([winner, loser], (0, 1), draw_probability=draws)

        assert first.mu >= winner.mu - 1e-9
        assert second.mu <= loser.mu + 1e-9

    @given(st.permutations(range(4)), DRAWS)
    def test_seats_do_not_matter_without_ties(self, order: list[int], draws: float) -> None:
        skills = [Skill(20 + seat, 3 + seat) for seat in range(4)]
        plain = rate(skills, range(4), draw_probability=draws)

        mixed = rate([skills[seat] for seat in order], order, draw_probability=draws)

        assert mixed == [plain[seat] for seat in order]

    def test_same_input_gives_same_bits(self) -> None:
        table = [Skill(25, 8), Skill(20, 2), Skill(31, 5)]

        again = [rate(table, (0, 1, 1), draw_probability=0.02) for _ in range(3)]

        assert again[0] == again[1] == again[2]

    @pytest.mark.parametrize("gap", [40, 100, 400, 5000])
    @pytest.mark.parametrize("ranks", [(0, 1), (1, 0), (0, 0)])
    @pytest.mark.parametrize("draws", [0.005, 0.1, 0.5])
    def test_results_far_beyond_expectation_are_rated(
        self, gap: float, ranks: tuple[int, int], draws: float
    ) -> None:
        strong, weak = rate([Skill(gap, 1), Skill(0, 1)], ranks, draw_probability=draws)

        assert strong.mu + weak.mu == pytest.approx(gap)
        assert 0.98 < strong.sigma <= 1
        assert strong.mu <= gap + 1e-6

    @pytest.mark.parametrize("ranks", list(permutations(range(3))))
    def test_far_results_at_larger_tables_are_rated(self, ranks: tuple[int, ...]) -> None:
        rated = rate([Skill(0, 1), Skill(300, 1), Skill(900, 1)], ranks, draw_probability=0.005)

        assert all(math.isfinite(skill.mu) and 0 < skill.sigma <= 1 for skill in rated)

    def test_step_to_many_digits_is_smooth(self) -> None:
        """Arithmetic of many digits takes over without a jump where floats end."""
        spread = math.sqrt(2 * (25 / 6) ** 2 + 2)
        losses = [
            gap * spread
            - rate([Skill(gap * spread, 1), Skill(0, 1)], (1, 0), draw_probability=0.005)[0].mu
            for gap in (step / 4 for step in range(120, 161))
        ]

        steps = [after - before for before, after in pairwise(losses)]
        assert steps == pytest.approx([0.25 / spread] * 40, rel=0.05)

    def test_tail_agrees_with_fifty_digits(self) -> None:
        gap, sigma, beta = 400.0, 1.0, 25 / 6
        spread = math.sqrt(2 * beta**2 + 2 * sigma**2)

        loser = rate([Skill(gap, sigma), Skill(0, sigma)], (1, 0), draw_probability=0.005)[0]

        margin = 0.0062666117 * math.sqrt(2) * beta / spread
        expected = gap - sigma**2 / spread * _hazard(gap / spread + margin)
        assert loser.mu == pytest.approx(expected, abs=1e-7)


class TestFold:
    RESULTS = (
        Result((1, 2), (0, 1)),
        Result((2, 3), (0, 0)),
        Result((3, 1, 2), (1, 0, 2)),
        Result((1, 3), (1, 0)),
    )

    def test_fold_can_be_cut_anywhere(self) -> None:
        whole = fold(self.RESULTS, draw_probability=0.05)

        for cut in range(len(self.RESULTS) + 1):
            half = fold(self.RESULTS[:cut], draw_probability=0.05)
            assert fold(self.RESULTS[cut:], draw_probability=0.05, start=half) == whole

    def test_start_is_left_alone(self) -> None:
        start = {1: Skill(30, 2)}

        fold(self.RESULTS, draw_probability=0.05, start=start)

        assert start == {1: Skill(30, 2)}


@pytest.mark.parametrize(
    ("draws", "pairs", "expected"),
    [(0, 0, 0.1), (0, 10_000, 0.005), (100, 100, 0.5), (9, 90, 0.1)],
)
def test_draw_probability_is_estimated_and_kept_in_range(
    draws: int, pairs: int, expected: float
) -> None:
    assert draw_probability(draws=draws, pairs=pairs) == pytest.approx(expected)


def test_a_new_bot_starts_at_the_prior() -> None:
    assert Skill() == Skill(MU, SIGMA) == Skill(25.0, 25.0 / 3)


def _hazard(x: float) -> float:
    """Return density over tail of the standard normal at x by its asymptotic series."""
    getcontext().prec = 50
    square = Decimal(x) ** 2
    series, term = Decimal(1), Decimal(1)
    for odd in range(1, 40, 2):
        term *= -odd / square
        series += term
    return float(Decimal(x) / series)
