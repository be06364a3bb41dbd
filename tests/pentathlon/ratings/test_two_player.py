"""Matches of two are rated without the package's graph; every bit has to be the package's."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trueskill import Rating, TrueSkill

from pentathlon.ratings.skill import BETA, MU, SIGMA, Numbers, Skill, TwoPlayerRater, rate

PLAYERS = st.tuples(st.floats(-60, 110), st.floats(0.2, 9))
DRAWS = st.sampled_from((0.005, 0.05, 0.1234, 0.3, 0.5))


def _environment(draw_probability: float) -> TrueSkill:
    return TrueSkill(mu=MU, sigma=SIGMA, beta=BETA, tau=0.0, draw_probability=draw_probability)


def _by_package(
    environment: TrueSkill, first: Numbers, second: Numbers, ranks: list[int]
) -> list[Numbers]:
    rated = environment.rate([(Rating(*first),), (Rating(*second),)], ranks=ranks)
    return [(rating.mu, rating.sigma) for (rating,) in rated]


@given(PLAYERS, PLAYERS, DRAWS, st.booleans())
def test_every_bit_is_the_packages(
    first: Numbers, second: Numbers, draw_probability: float, is_draw: bool
) -> None:
    environment = _environment(draw_probability)

    rated = TwoPlayerRater(environment).rate(first, second, is_draw=is_draw)

    expected = _by_package(environment, first, second, [0, 0 if is_draw else 1])
    assert list(rated) == expected


def test_long_row_of_matches_ends_at_the_same_bits() -> None:
    environment = _environment(0.1)
    duel = TwoPlayerRater(environment)
    ours = theirs = [(MU, SIGMA), (MU, SIGMA)]

    for number in range(500):
        is_draw = number % 7 == 0
        order = [0, 1] if number % 3 else [1, 0]
        told = duel.rate(ours[order[0]], ours[order[1]], is_draw=is_draw)
        ours = [told[order.index(player)] for player in (0, 1)]
        graph = _by_package(
            environment, theirs[order[0]], theirs[order[1]], [0, 0 if is_draw else 1]
        )
        theirs = [graph[order.index(player)] for player in (0, 1)]
        assert ours == theirs, number


@pytest.mark.parametrize("ranks", [(0, 1), (1, 0), (0, 0)])
def test_seats_keep_their_order(ranks: tuple[int, int]) -> None:
    skills = [Skill(31.0, 2.5), Skill(20.0, 4.0)]

    rated = rate(skills, ranks, draw_probability=0.1)

    first, second = ((skill.mu, skill.sigma) for skill in skills)
    expected = _by_package(_environment(0.1), first, second, list(ranks))
    assert [(skill.mu, skill.sigma) for skill in rated] == expected


def test_what_floats_cannot_hold_is_left_to_the_package() -> None:
    hopeless, sure = Skill(-900.0, 0.5), Skill(900.0, 0.5)

    with pytest.raises(FloatingPointError):
        TwoPlayerRater(_environment(0.1)).rate((-900.0, 0.5), (900.0, 0.5), is_draw=False)
    winner, loser = rate([hopeless, sure], (0, 1), draw_probability=0.1)

    assert winner.mu > hopeless.mu
    assert loser.mu < sure.mu
    assert math.isfinite(winner.sigma)
