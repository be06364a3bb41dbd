import math
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.strength.pair_model import (
    DRAW,
    LOSS,
    WIN,
    draw_margin,
    draws_within,
    margin_slopes,
    outcomes,
)

LEADS = st.floats(-6, 6)
MARGINS = st.floats(0.005, 0.5).map(draw_margin)
NORMAL = NormalDist()
STEP = 1e-4


def _logarithm(lead: float, margin: float, outcome: int) -> float:
    return math.log(outcomes(lead, margin).probabilities[outcome])


@given(lead=LEADS, margin=MARGINS)
def test_probabilities_are_those_of_normal_noise(lead: float, margin: float) -> None:
    win, draw, loss = outcomes(lead, margin).probabilities

    assert win == pytest.approx(NORMAL.cdf(lead - margin), rel=1e-9)
    assert loss == pytest.approx(NORMAL.cdf(-lead - margin), rel=1e-9)
    assert win + draw + loss == pytest.approx(1)


@given(lead=LEADS, margin=MARGINS, outcome=st.sampled_from((WIN, DRAW, LOSS)))
def test_slopes_are_the_derivatives(lead: float, margin: float, outcome: int) -> None:
    slope = outcomes(lead, margin).slopes[outcome]

    up, down = (_logarithm(lead + step, margin, outcome) for step in (STEP, -STEP))
    assert slope.score == pytest.approx((up - down) / (2 * STEP), rel=1e-5, abs=1e-6)
    steps = [outcomes(lead + step, margin).slopes[outcome].score for step in (STEP, -STEP)]
    bend = (steps[1] - steps[0]) / (2 * STEP)
    assert slope.curvature == pytest.approx(bend, rel=1e-4, abs=1e-6)


@given(lead=LEADS, margin=MARGINS, outcome=st.sampled_from((WIN, DRAW, LOSS)))
def test_margin_slopes_are_the_derivatives(lead: float, margin: float, outcome: int) -> None:
    step = margin / 1000
    up, down = (_logarithm(lead, margin + move, outcome) for move in (step, -step))

    numeric = (up - down) / (2 * step)
    assert margin_slopes(lead, margin)[outcome] == pytest.approx(numeric, rel=1e-4, abs=1e-5)


@given(lead=st.floats(-500, 500), margin=MARGINS)
def test_far_leads_stay_finite(lead: float, margin: float) -> None:
    for slope in outcomes(lead, margin).slopes:
        assert math.isfinite(slope.score)
        assert -1e-9 <= slope.curvature <= 1 + 1e-9


@given(lead=st.floats(-500, 500), margin=MARGINS)
def test_scores_mirror(lead: float, margin: float) -> None:
    there, back = outcomes(lead, margin), outcomes(-lead, margin)

    assert there.slopes[WIN].score == pytest.approx(-back.slopes[LOSS].score)
    assert there.slopes[DRAW].score == pytest.approx(-back.slopes[DRAW].score)
    assert there.information == pytest.approx(back.information)


@given(share=st.floats(0.005, 0.5))
def test_margin_gives_its_share_of_draws(share: float) -> None:
    assert draws_within(draw_margin(share)) == pytest.approx(share)
