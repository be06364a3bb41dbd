import math
from itertools import combinations, permutations
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.strength.best import Z_95
from pentathlon_engines.strength.pair_model import PlayedMatch, draw_margin
from pentathlon_engines.strength.thurstone import BETA, MU, SIGMA, Strengths, fit
from tests.engines.strength.fields import draw_truth, play, round_robin

WON, LOST, DRAWN = (0, 1), (1, 0), (0, 0)
NORMAL = NormalDist()
UNIT = math.sqrt(2) * BETA
MATCHES = st.lists(
    st.tuples(
        st.permutations(range(5)).flatmap(
            lambda order: st.integers(2, 5).map(lambda seats: tuple(order[:seats]))
        ),
        st.lists(st.integers(0, 3), min_size=5, max_size=5),
        st.integers(0, 6),
    ),
    min_size=1,
    max_size=30,
)


def _matches(drawn: list[tuple[tuple[int, ...], list[int], int]]) -> list[PlayedMatch]:
    return [
        PlayedMatch(
            seats, tuple(rank - min(ranks[: len(seats)]) for rank in ranks[: len(seats)]), block
        )
        for seats, ranks, block in drawn
    ]


def _lead_of_two(wins: int, draws: int, losses: int, share: float) -> float:
    """Return by bisection the lead at which the posterior of two is highest."""
    margin = draw_margin(share)

    def height(lead: float) -> float:
        win, loss = NORMAL.cdf(lead - margin), NORMAL.cdf(-lead - margin)
        likely = wins * math.log(win) + losses * math.log(loss)
        likely += draws * math.log(NORMAL.cdf(lead + margin) - win)
        return likely - (UNIT * lead / 2) ** 2 / SIGMA**2

    low, high = -4.0, 4.0
    for _ in range(200):
        third = (high - low) / 3
        if height(low + third) < height(high - third):
            low += third
        else:
            high -= third
    return UNIT * (low + high) / 2


@pytest.mark.parametrize("counts", [(3, 0, 0), (3, 1, 1), (0, 4, 0), (5, 2, 9), (60, 0, 1)])
def test_two_players_stand_where_the_posterior_is_highest(counts: tuple[int, int, int]) -> None:
    wins, draws, losses = counts
    matches = [
        *([PlayedMatch((1, 2), WON)] * wins),
        *([PlayedMatch((2, 1), DRAWN)] * draws),
        *([PlayedMatch((1, 2), LOST)] * losses),
    ]

    found = fit(matches, draw_probability=0.1)

    lead = found.mu[0] - found.mu[1]
    assert lead == pytest.approx(_lead_of_two(*counts, 0.1), abs=1e-5)
    assert sum(found.mu) / 2 == pytest.approx(MU)


def test_without_results_the_prior_is_left() -> None:
    found = fit([], players=(7, 3, 5), draw_probability=0.1)

    assert found.players == (3, 5, 7)
    assert found.mu == (MU, MU, MU)
    assert found.sigma(0) == pytest.approx(SIGMA * math.sqrt(2 / 3))
    assert found.deviation(0, 1) == pytest.approx(SIGMA * math.sqrt(2))


def test_nobody_at_all_is_no_error() -> None:
    assert fit([], draw_probability=0.1).players == ()


@given(drawn=MATCHES, rng=st.randoms(use_true_random=False))
def test_order_of_results_changes_no_bit(
    drawn: list[tuple[tuple[int, ...], list[int], int]], rng: Random
) -> None:
    matches = _matches(drawn)
    shuffled = rng.sample(matches, len(matches))

    assert fit(shuffled, draw_probability=0.2) == fit(matches, draw_probability=0.2)


@given(drawn=MATCHES)
def test_reversed_ranks_mirror_the_strengths(
    drawn: list[tuple[tuple[int, ...], list[int], int]],
) -> None:
    matches = _matches(drawn)
    turned = [
        match._replace(ranks=tuple(max(match.ranks) - rank for rank in match.ranks))
        for match in matches
    ]

    there, back = (fit(some, draw_probability=0.1) for some in (matches, turned))

    assert [2 * MU - mu for mu in back.mu] == pytest.approx(there.mu, abs=1e-7)
    assert back.dispersion == pytest.approx(there.dispersion)


def test_names_of_players_do_not_matter() -> None:
    matches = list(round_robin(draw_truth(6, Random(1)), 2, Random(2)))
    names = [17, 4, 99, 1, 50, 3]
    renamed = [
        match._replace(players=tuple(names[player] for player in match.players))
        for match in matches
    ]

    there, back = (fit(some, draw_probability=0.1) for some in (matches, renamed))

    by_name = dict(zip(back.players, back.mu, strict=True))
    assert [by_name[name] for name in names] == pytest.approx(there.mu, abs=1e-9)


def test_maximum_is_found_where_one_always_wins() -> None:
    matches = [PlayedMatch((0, other), WON) for other in range(1, 5) for _ in range(2000)]

    found = fit(matches, draw_probability=0.005)

    assert found.mu[0] > MU + 15
    assert found.mu[1:] == pytest.approx([found.mu[1]] * 4)


def test_fields_that_never_met_stay_unsure_of_each_other() -> None:
    matches = [PlayedMatch((0, 1), WON), PlayedMatch((1, 0), WON)] * 200
    matches += [
        match._replace(players=tuple(seat + 2 for seat in match.players)) for match in matches
    ]

    found = fit(matches, draw_probability=0.1)

    assert found.deviation(0, 1) < 1
    assert found.deviation(0, 2) > 0.95 * SIGMA


def test_matches_that_all_failed_tell_nothing() -> None:
    matches = list(round_robin(draw_truth(4, Random(3)), 2, Random(4)))

    assert fit([*matches, PlayedMatch((0, 1), (1, 1))], draw_probability=0.1) == fit(
        matches, draw_probability=0.1
    )


def test_exact_repeats_count_once() -> None:
    truth = draw_truth(5, Random(5))
    once = [
        match._replace(course=f"course {number}")
        for number, match in enumerate(round_robin(truth, 1, Random(6)))
    ]
    again = [match._replace(block=(match.block or 0) + 100) for match in once]

    repeated = fit([*again, *once], draw_probability=0.1)

    plain = fit(once, draw_probability=0.1)
    assert repeated.repeats == len(once)
    assert (repeated.mu, repeated.covariance) == (plain.mu, plain.covariance)


def test_same_course_in_other_seats_is_no_repeat() -> None:
    matches = [PlayedMatch((0, 1), WON, course="x"), PlayedMatch((1, 0), WON, course="x")]

    assert fit(matches, draw_probability=0.1).repeats == 0


def test_searched_draws_are_near_the_share_in_the_results() -> None:
    matches = list(round_robin(draw_truth(10, Random(7), spread=0.5), 20, Random(8)))

    assert fit(matches, draw_probability=None).draw_probability == pytest.approx(0.1, abs=0.02)


def test_searched_draws_are_highest() -> None:
    """At the optimum a little more or less explains the results worse."""
    matches = [PlayedMatch((0, 1), WON)] * 6 + [PlayedMatch((0, 1), DRAWN)] * 3
    matches += [PlayedMatch((0, 1), LOST)] * 5
    found = fit(matches, draw_probability=None)
    lead = (found.mu[0] - found.mu[1]) / UNIT

    def height(share: float) -> float:
        margin = draw_margin(share)
        win, loss = NORMAL.cdf(lead - margin), NORMAL.cdf(-lead - margin)
        return 6 * math.log(win) + 3 * math.log(1 - win - loss) + 5 * math.log(loss)

    best = height(found.draw_probability)
    assert best > height(found.draw_probability * 1.01)
    assert best > height(found.draw_probability / 1.01)


def test_some_players_keep_their_numbers() -> None:
    found = fit(round_robin(draw_truth(5, Random(9)), 2, Random(10)), draw_probability=0.1)

    some = found.only((4, 1))

    assert some.players == (1, 4)
    assert some.mu == (found.mu[1], found.mu[4])
    assert some.deviation(0, 1) == found.deviation(1, 4)


def _holds(found: Strengths, truth: list[float]) -> list[bool]:
    mean = sum(truth) / len(truth)
    return [
        abs(found.mu[index] - MU - truth[index] + mean) <= Z_95 * found.sigma(index)
        for index in range(len(truth))
    ]


def test_intervals_hold_the_truth() -> None:
    held: list[bool] = []
    for seed in range(60):
        rng = Random(seed)
        truth = draw_truth(8, rng)
        held += _holds(fit(round_robin(truth, 6, rng), draw_probability=0.1), truth)

    assert 0.90 <= sum(held) / len(held) <= 0.99


def test_intervals_of_tables_hold_the_truth() -> None:
    held: list[bool] = []
    for seed in range(12):
        rng = Random(seed)
        truth = draw_truth(5, rng, spread=1)
        seatings = list(permutations(range(5)))[::3]
        matches = [play(truth, seating, block, rng) for block, seating in enumerate(seatings)]
        held += _holds(fit(matches, draw_probability=0.1), truth)

    assert 0.85 <= sum(held) / len(held) <= 1


def test_alike_matches_of_a_block_narrow_no_interval() -> None:
    """If both matches of a block always end alike, they are worth one."""
    rng = Random(11)
    truth = draw_truth(12, rng, spread=0.3)
    matches = []
    for block, match in enumerate(round_robin(truth, 8, rng)):
        back = PlayedMatch(match.players[::-1], match.ranks[::-1], block)
        matches += [match._replace(block=block), back]

    assert fit(matches, draw_probability=0.1).dispersion == pytest.approx(2, abs=0.3)


def test_bots_that_decide_by_opponent_widen_intervals() -> None:
    """Who beats whom is fixed and does not follow from strength: far from the model."""
    matches = [
        PlayedMatch((first, second), WON if (second - first) % 9 <= 4 else LOST)
        for first, second in permutations(range(9), 2)
        for _ in range(20)
    ]

    assert fit(matches, draw_probability=0.1).dispersion > 5


def test_twenty_blocks_that_vary_too_much_widen_intervals_halfway() -> None:
    """Whole blocks go to one of two, a factor of 2; twenty as expected are added to twenty."""
    ranks = [(0, 1) if block % 2 else (1, 0) for block in range(20)]
    matches = [
        PlayedMatch((0, 1), won, block) for block, won in enumerate(ranks) for _ in range(2)
    ]

    assert 1.3 < fit(matches, draw_probability=0.1).dispersion < 1.8


def test_as_many_that_vary_too_little_hardly_narrow_intervals() -> None:
    """All pairs of eight share their block, a factor of 0; two hundred are added to 21."""
    matches = [
        PlayedMatch(pair, ranks, block)
        for block, pair in enumerate(combinations(range(8), 2))
        for ranks in ((0, 1), (1, 0))
    ]

    assert 0.85 < fit(matches, draw_probability=0.1).dispersion < 0.95
