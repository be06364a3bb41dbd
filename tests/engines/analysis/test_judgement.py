"""Which events are blunders and turning points, and what accuracy follows from losses."""

import pytest

from pentathlon_engines.analysis.judgement import (
    FEWEST_DECISIONS,
    Swing,
    accuracy_of,
    judge_accuracy,
    judge_swings,
)
from pentathlon_engines.analysis.playouts import Estimate


def estimate(chance: float, error: float = 0.03) -> Estimate:
    return Estimate(100, [chance, 1 - chance], [error, error], [chance, 1 - chance])


def swing(
    before: float,
    after: float,
    *,
    seat: int | None = 0,
    is_decision: bool = True,
    failed: tuple[int, ...] = (),
    error: float = 0.03,
) -> Swing:
    return Swing(
        ply=7,
        seat=seat,
        is_decision=is_decision and seat is not None,
        failed=failed,
        before=estimate(before, error),
        after=estimate(after, error),
    )


@pytest.mark.parametrize(
    ("event", "kinds"),
    [
        pytest.param(swing(0.8, 0.5), [("blunder", "action", 0)], id="a large loss"),
        pytest.param(swing(0.8, 0.65), [], id="a small loss"),
        pytest.param(swing(0.8, 0.5, error=0.12), [], id="within the noise"),
        pytest.param(swing(0.3, 0.6), [("turning_point", "action", 0)], id="a large gain"),
        pytest.param(
            swing(0.8, 0.5, is_decision=False), [("turning_point", "action", 0)], id="no choice"
        ),
        pytest.param(swing(0.8, 0.5, seat=None), [("turning_point", "chance", None)], id="luck"),
        pytest.param(swing(0.8, 0, failed=(0,)), [("turning_point", "fault", 0)], id="a fault"),
    ],
)
def test_swing_is_named_by_what_caused_it(
    event: Swing, kinds: list[tuple[str, str, int | None]]
) -> None:
    marks = judge_swings([event])

    assert [(mark.kind, mark.cause, mark.seat) for mark in marks] == kinds


def test_accuracy_follows_the_formula_of_lichess() -> None:
    # 10 points of a hundred lost: 103.1668 exp(-0.4354) - 3.1669.
    assert accuracy_of(0.1) == pytest.approx(63.58, abs=0.01)
    assert accuracy_of(-0.2) == 100
    assert accuracy_of(0) == pytest.approx(100, abs=0.001)
    assert accuracy_of(1) == 0


def test_noise_around_no_loss_costs_no_accuracy() -> None:
    noisy = [swing(0.5, 0.5 + change) for change in (0.06, -0.06, 0.03, -0.03, 0, 0)]

    first, second = judge_accuracy(noisy, seats=2)

    assert first.value == pytest.approx(100, abs=0.001)
    assert first.error > 0
    assert (second.value, second.decisions) == (None, 0)


def test_only_decisions_of_the_seat_count() -> None:
    own = [swing(0.5, 0.4)] * FEWEST_DECISIONS
    others = [swing(0.9, 0.1, seat=None), swing(0.9, 0.1, is_decision=False)]

    accuracy = judge_accuracy([*own, *others], seats=2)[0]

    assert accuracy.decisions == FEWEST_DECISIONS
    assert accuracy.loss == pytest.approx(0.1)
    assert accuracy.value == pytest.approx(accuracy_of(0.1))
