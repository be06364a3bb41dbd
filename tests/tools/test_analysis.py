"""The benchmark of win chances: it tells true ones from others, and mends what is too sure."""

import json
from pathlib import Path
from random import Random

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.analysis import playouts
from pentathlon_engines.analysis.playouts import slope, smooth, temper
from tests.engines.record.random_records import tuned_record
from tools.benchmark import analysis
from tools.benchmark.analysis import (
    Sample,
    calibration_of,
    cross_fitted,
    demands_on,
    fit_power,
    judge_positions,
    write,
)

TOO_SURE = 2.0


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    """Judge matches whose true chances are known: the playouts doubled the odds."""
    rng = Random(1)
    found = []
    for match in range(600):
        true = [chance := rng.uniform(0.05, 0.95), 1 - chance]
        first = rng.random() < chance
        found.append(Sample(match, temper(true, power=TOO_SURE), [float(first), float(not first)]))
    return found


def test_fit_finds_how_much_too_sure_playouts_are(samples: list[Sample]) -> None:
    assert fit_power(samples) == pytest.approx(1 / TOO_SURE, abs=0.1)


def test_figures_tell_true_chances_from_others(samples: list[Sample]) -> None:
    mended = calibration_of(samples, cross_fitted(samples))
    raw = calibration_of(samples, [sample.shares for sample in samples])

    assert all(demand.is_met for demand in demands_on(mended, [1.0]))
    assert raw.gap > max(raw.lucky_gap, analysis.LARGEST_GAP)
    assert mended.brier < raw.brier
    assert mended.even_brier == pytest.approx(0.25)
    assert sum(each.number for each in mended.bins) == 2 * mended.positions


def test_dear_curve_misses_its_bound(samples: list[Sample]) -> None:
    found = calibration_of(samples, cross_fitted(samples))

    assert [
        demand.name
        for demand in demands_on(found, [1.0, analysis.MOST_CPU_S + 1])
        if not demand.is_met
    ] == ["CPU s of a curve, most"]


def test_positions_are_judged_with_what_came_true() -> None:
    (found, *_) = judge_positions([tuned_record()], number=2)

    assert sum(found.shares) == pytest.approx(1)
    assert sorted(found.won) == [0, 1]


def test_power_is_written_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "calibration.json"
    path.write_text('{"games": {}}')
    for module in (analysis, playouts):
        monkeypatch.setattr(module, "FILE", path)
    playouts.power_of.cache_clear()

    try:
        assert playouts.power_of("tuned") == 1
        write("tuned", 0.7, {"bot": "greedy", "matches": 60})
        assert playouts.power_of("tuned") == 0.7
    finally:
        playouts.power_of.cache_clear()
    assert json.loads(path.read_text())["games"]["tuned"]["matches"] == 60


def test_every_game_has_a_power_within_reason() -> None:
    assert all(0.2 <= playouts.power_of(game) <= 1.5 for game in GAMES)
    assert json.loads(playouts.FILE.read_text())["games"].keys() <= set(GAMES)


def test_seat_that_was_expelled_keeps_no_chance() -> None:
    shares = smooth([0.0, 10.0, 14.0], played=24, in_play=[False, True, True])

    assert shares[0] == 0
    assert temper(shares, power=0.5)[0] == 0
    assert sum(shares) == pytest.approx(1)
    assert slope(0.0, 0.0, power=0.5) == 0
