"""The curve of a record: the same for the same record, true at the end, within its budget."""

import io
import json
import sys
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.analysis import __main__ as program
from pentathlon_engines.analysis.curve import Budget, draw_curve
from pentathlon_engines.analysis.judgement import (
    FEWEST_DECISIONS,
    TURNING_POINT,
    Swing,
    accuracy_of,
    judge_accuracy,
    judge_swings,
)
from pentathlon_engines.analysis.playouts import LARGEST_ERROR, Estimate, estimate_chances
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.record.shape import Record
from tests.engines.record.random_records import make_record, tuned_record

SMALL = Budget(plies=12, decisions=2, playouts=1, confirmed=1)
SEATS = {"azure": 2, "maatatahay": 2, "tash_kalar": 2, "tuned": 2, "way_of_the_dragon": 3}


@pytest.mark.parametrize("key", SEATS)
def test_same_record_gives_the_same_curve_in_every_game(key: str) -> None:
    seats = SEATS[key]
    record = make_record(GAMES[key], seats=seats)
    last = len(record["events"])

    first, again = draw_curve(record, budget=SMALL), draw_curve(record, budget=SMALL)

    assert first.to_json() == again.to_json()
    points = first.points
    assert {0, last} <= points.keys()
    assert len(points) <= max(SMALL.plies, 2 + 2 * SMALL.decisions * seats)
    ranks = record["outcome"]["ranks"]
    assert points[last].chances == [(rank == 0) / ranks.count(0) for rank in ranks]
    assert points[last].errors == [0.0] * seats
    assert all(sum(point.chances) == pytest.approx(1) for point in points.values())


def test_playouts_are_enough_for_the_stated_error() -> None:
    state = GAMES["tuned"].start()

    found = estimate_chances(state, rng=Random(1))

    assert max(found.errors) <= LARGEST_ERROR
    assert state.to_json() == GAMES["tuned"].start().to_json()


def test_who_is_about_to_win_has_the_better_chance() -> None:
    record = tuned_record()
    winner = record["outcome"]["ranks"].index(0)

    points = draw_curve(record, budget=Budget(playouts=24, confirmed=0)).points

    assert points[len(record["events"]) - 1].chances[winner] > 0.8


def test_fault_that_ends_a_match_is_a_turning_point() -> None:
    fault = Fault(FaultKind.CPU_TIME, seat=0, ply=2, detail="used 1.2 s of CPU time")
    record = tuned_record(fault=fault)

    marks = draw_curve(record, budget=Budget(playouts=24)).marks

    assert [(mark.kind, mark.cause, mark.seat) for mark in marks] == [(TURNING_POINT, "fault", 0)]


def test_expelled_seat_has_no_chance() -> None:
    game = GAMES["way_of_the_dragon"]
    state, rng = game.start(3), Random(3)
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))

    found = estimate_chances(state, rng=rng, expelled=[1], most=4)

    assert found.chances[1] == found.shares[1] == 0


def test_match_that_nobody_won_has_no_winner() -> None:
    fault = Fault(FaultKind.STARTUP, seat=0, ply=0, detail="ended before it was ready")
    record = tuned_record(fault=fault)
    record["outcome"]["ranks"] = [1, 1]

    (point,) = draw_curve(record).points.values()

    assert point.chances == [0, 0]


def run(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[Any]:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)
    program.main()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def asking(record: Record, measured: Sequence[object] = ()) -> str:
    return json.dumps({"record": record, "measured": measured})


def test_interrupted_curve_goes_on_with_what_was_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = Fault(FaultKind.CPU_TIME, seat=0, ply=2, detail="used 1.2 s of CPU time")
    record = tuned_record(fault=fault)
    *steps, whole = run(asking(record), monkeypatch, capsys)
    told = [step["measured"] for step in steps]

    *rest, last = run(asking(record, told[:3]), monkeypatch, capsys)

    assert [step["measured"] for step in rest] == told[3:]
    assert last["curve"] == whole["curve"]


def test_program_tells_each_step_and_the_curve(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = Fault(FaultKind.CPU_TIME, seat=0, ply=2, detail="used 1.2 s of CPU time")

    record = tuned_record(fault=fault)

    *steps, last = run(asking(record), monkeypatch, capsys)

    assert [step["measured"][:2] for step in steps] == [[0, 0], [1, 0], [2, 0], [1, 1], [2, 1]]
    assert all(step["cpu_ms"] > 0 for step in steps)
    assert last["curve"]["points"][-1] == [2, 0, [0, 1000], [0, 0], [0, 1000]]


def _without_an_event(record: Record) -> None:
    del record["events"][1]


def _by_other_rules(record: Record) -> None:
    record["rules"] += 1


@pytest.mark.parametrize("change", [_without_an_event, _by_other_rules])
def test_broken_record_is_told_with_a_code(
    change: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = tuned_record()
    change(record)  # type: ignore[operator]  # one of the two functions above

    answers = run(asking(record), monkeypatch, capsys)

    assert [answer["error"] for answer in answers] == [BadRecord.code]


def test_what_is_no_json_is_told_with_a_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("{", monkeypatch, capsys)[-1]["error"] == BadRecord.code


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
