import random
from itertools import permutations

import pytest

from pentathlon.ratings.fit import fit
from pentathlon.ratings.skill import BETA, MU, Result, Skill, fold, rate


def _field(seed: int, strengths: list[float], *, seats: int = 2) -> list[Result]:
    """Play a full set of tables among bots of known strength."""
    rng = random.Random(seed)
    results = []
    for table in permutations(range(len(strengths)), seats):
        shown = [rng.gauss(strengths[player], BETA) for player in table]
        ranks = tuple(sum(other > mine for other in shown) for mine in shown)
        results.append(Result(table, ranks))
    return results


@pytest.mark.parametrize("seats", [2, 3])
def test_order_of_results_does_not_matter(seats: int) -> None:
    results = _field(1, [20, 23, 26, 27, 33, 36], seats=seats)
    shuffled = random.Random(2).sample(results, len(results))

    plain = fit(results, draw_probability=0.05)
    mixed = fit(shuffled, draw_probability=0.05)

    for player, skill in plain.items():
        assert mixed[player].mu == pytest.approx(skill.mu, abs=0.05)
        assert mixed[player].sigma == pytest.approx(skill.sigma, abs=0.05)


def test_same_results_give_the_same_bits() -> None:
    results = _field(3, [20, 25, 30, 35])

    assert fit(results, draw_probability=0.05) == fit(results, draw_probability=0.05)


def test_one_result_is_rated_as_usual() -> None:
    first, second = rate([Skill(), Skill()], (0, 1), draw_probability=0.05)

    fitted = fit([Result((7, 9), (0, 1))], draw_probability=0.05)

    assert fitted[7].mu == pytest.approx(first.mu)
    assert fitted[9].sigma == pytest.approx(second.sigma)


def test_true_order_is_found() -> None:
    strengths = [10.0, 18.0, 25.0, 32.0, 40.0]

    fitted = fit(_field(5, strengths) + _field(6, strengths), draw_probability=0.05)

    assert sorted(fitted, key=lambda player: fitted[player].mu) == [0, 1, 2, 3, 4]


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    strengths = [21.0, 23.0, 24.0, 25.0, 26.0, 27.0, 29.0]
    held = 0
    for seed in range(8):
        fitted = fit(_field(seed, strengths), draw_probability=0.005)
        held += sum(
            abs(fitted[player].mu - strength) < 1.96 * fitted[player].sigma
            for player, strength in enumerate(strengths)
        )

    assert held >= 0.85 * 8 * len(strengths)


def test_mean_is_the_middle_of_the_scale() -> None:
    fitted = fit(_field(4, [10, 40, 70]), draw_probability=0.05)

    assert sum(skill.mu for skill in fitted.values()) / 3 == pytest.approx(MU)


def test_fit_agrees_with_the_fold_where_there_are_many_results() -> None:
    results = _field(6, [22, 24, 26, 28]) * 12
    rng = random.Random(1)
    rng.shuffle(results)

    fitted = fit(results, draw_probability=0.005)
    folded = fold(results, draw_probability=0.005)

    for player in fitted:
        lead = folded[player].mu - folded[0].mu
        assert fitted[player].mu - fitted[0].mu == pytest.approx(lead, abs=0.6)


def test_no_results_give_no_skills() -> None:
    assert fit([], draw_probability=0.05) == {}


def test_result_without_a_winner_tells_nothing() -> None:
    results = [Result((1, 2), (0, 1)), Result((2, 3), (0, 1))]
    failed = [Result((1, 3), (1, 1)), Result((4, 5), (1, 1))]

    assert fit([*results, *failed], draw_probability=0.1) == fit(results, draw_probability=0.1)
