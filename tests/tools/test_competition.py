"""The benchmark of ratings measures what it says."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from pentathlon_engines.strength.sprt import Sprt
from tools.benchmark.competition.coverage import Scenario, play_field, rank_correlation
from tools.benchmark.competition.fields import (
    Luck,
    Noise,
    draw_truth,
    paired_blocks,
    ranks_of,
    table_blocks,
)
from tools.benchmark.competition.ratings import SCENARIOS
from tools.benchmark.competition.sequential import block_scores, run_tests


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


def test_sequential_tests_are_counted() -> None:
    found = run_tests((Sprt().null, Noise.SHARED, 5, 1))

    assert 0 <= found.wrong <= 1
    assert 40 <= found.matches <= 2080


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
