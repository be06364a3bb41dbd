"""The benchmark of ratings measures what it says."""

import math
from collections import Counter
from itertools import combinations
from random import Random

import pytest

from pentathlon_engines.strength.sprt import Sprt
from tools.benchmark.competition.coverage import Scenario, play_field, rank_correlation
from tools.benchmark.competition.demands import Demand, show_demands
from tools.benchmark.competition.fields import (
    Luck,
    Noise,
    draw_truth,
    paired_blocks,
    ranks_of,
    table_blocks,
)
from tools.benchmark.competition.ratings import SCENARIOS
from tools.benchmark.competition.sequential import (
    block_scores,
    golden_ratios,
    play_finals,
    run_tests,
)
from tools.benchmark.load.figures import Figure, show


@pytest.mark.parametrize(
    ("measured", "is_met"), [(0.91, False), (0.92, True), (0.97, True), (0.98, False)]
)
def test_figure_must_be_within_its_bounds(measured: float, is_met: bool) -> None:
    assert Demand(name="x", measured=measured, least=0.92, most=0.97).is_met is is_met


def test_figure_that_is_no_number_is_missed() -> None:
    assert not Demand(name="x", measured=math.nan, most=1).is_met


def test_one_missed_figure_fails_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = (Demand(name=str(most), measured=2, most=most) for most in (3, 1))

    assert show_demands("x", [good], as_json=False) == 0
    assert show_demands("x", [good, bad], as_json=True) == 1
    assert '"measured": 2' in capsys.readouterr().out


def test_verdict_says_how_many_figures_are_missed(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = (Demand(name=str(most), measured=2, most=most) for most in (3, 1))
    shown = Demand(name="only shown", measured=2)

    show_demands("x", [good, shown], as_json=False)
    show_demands("y", [good, bad], as_json=False)

    told = capsys.readouterr().out
    assert "x: all 1 figures with a limit are met." in told
    assert "y: 1 of 2 figures with a limit are MISSED." in told


def test_longest_waits_are_judged_in_words_that_are_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    waits = dict.fromkeys(("took", "claim", "page write", "publish", "leases", "ratings"), 1.5)
    figure = Figure(name="recompute of 119400", measured=waits, verdict=1.5, demanded=1.0)

    status = show("Waits", [figure], verdict="longest", as_json=False)

    told = capsys.readouterr().out
    assert status == 1
    assert "Waits: 1 of 1 figures with a limit are MISSED." in told
    assert "…" not in told


def test_pairs_play_as_often_as_they_should() -> None:
    blocks = paired_blocks(6, 3)

    played = Counter(frozenset(seating) for block in blocks for seating in block)
    assert played == dict.fromkeys(map(frozenset, combinations(range(6), 2)), 3)


def test_tables_let_all_pairs_meet() -> None:
    met = {pair for block in table_blocks(8, 3, 1) for pair in combinations(sorted(block[0]), 2)}

    assert met == set(combinations(range(8), 2))


def test_neighbours_within_the_margin_share_a_rank() -> None:
    assert ranks_of([25.0, 25.1, 40.0]) == (1, 1, 0)


def test_deterministic_bots_repeat_themselves() -> None:
    luck = Luck(draw_truth(4, Random(1), spread=1), Noise.DETERMINISTIC, Random(2))

    matches = list(luck.play(paired_blocks(4, 6)))

    assert len({(match.players, match.ranks, match.course) for match in matches}) == 12


def test_shared_luck_of_the_seats_cancels_in_a_block() -> None:
    """Of two equals, the first seat of one match is the second one of the other."""
    sums = {}
    for noise in (Noise.INDEPENDENT, Noise.SHARED):
        luck = Luck([25.0, 25.0], noise, Random(3))
        scores = [
            sum(match.ranks[match.players.index(0)] for match in luck.play_block(number, legs))
            for number, legs in enumerate([((0, 1), (1, 0))] * 2000)
        ]
        mean = sum(scores) / len(scores)
        sums[noise] = sum((score - mean) ** 2 for score in scores) / len(scores)
    assert sums[Noise.SHARED] < 0.8 * sums[Noise.INDEPENDENT]


def test_field_is_counted() -> None:
    tally = play_field((Scenario(bots=5, rounds=10, fields=1), 1))

    assert (tally.fields, tally.intervals) == (1, 5)
    assert 0 <= tally.held <= 5
    assert tally.right <= tally.claims


def test_rank_correlation_is_spearmans() -> None:
    assert rank_correlation([1, 2, 3, 4], [10, 20, 30, 40]) == 1
    assert rank_correlation([1, 2, 3, 4], [40, 30, 20, 10]) == -1


def test_scenarios_cover_what_is_demanded() -> None:
    covered = {(scenario.bots, scenario.seats, scenario.noise) for scenario in SCENARIOS}

    assert {(bots, seats) for bots, seats, _ in covered} == {
        (bots, seats) for bots in (8, 30) for seats in (2, 3, 5)
    }
    assert {(bots, noise) for bots, seats, noise in covered if seats == 2} == {
        (bots, noise) for bots in (8, 30) for noise in Noise
    }


def test_finals_end_within_their_budget() -> None:
    assert play_finals((40, 1)).matches <= 80


def test_sequential_tests_are_counted() -> None:
    found = run_tests((Sprt().null, Noise.SHARED, 5, 1))

    assert 0 <= found.wrong <= 1
    assert 40 <= found.matches <= 2080


def test_golden_ratios_agree() -> None:
    assert all(computed == pytest.approx(golden, abs=0.01) for computed, golden in golden_ratios())


@pytest.mark.parametrize("noise", [Noise.INDEPENDENT, Noise.SHARED])
@pytest.mark.parametrize("score", [0.5, 0.55])
def test_blocks_have_the_score_that_is_meant(noise: Noise, score: float) -> None:
    chances = block_scores(score, noise)

    assert sum(chances) == pytest.approx(1, abs=1e-9)
    mean = sum(chance * cell / 4 for cell, chance in enumerate(chances))
    assert mean == pytest.approx(score, abs=1e-6)


def test_shared_luck_makes_blocks_more_alike() -> None:
    shared, independent = (block_scores(0.5, noise) for noise in (Noise.SHARED, Noise.INDEPENDENT))

    assert shared[2] > independent[2]
