"""Tests that end when they know enough: how often they err, and how long they are."""

import math
from dataclasses import dataclass
from itertools import product
from random import Random
from statistics import NormalDist
from typing import Final

from pentathlon_engines.strength.pair_model import draw_margin, outcomes
from pentathlon_engines.strength.sprt import Sprt, SprtDecision
from pentathlon_engines.strength.thurstone import BETA
from tools.benchmark.competition.fields import DRAWS, Noise

_MOST_BLOCKS: Final = 1040
_GRID: Final = 200
_REACH: Final = 7.0
"""How many standard deviations of luck are considered to either side, in `_GRID` steps."""
_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True)
class SprtTally:
    """The number of wrong decisions of tests, and their mean number of matches."""

    wrong: float
    matches: float


def run_tests(task: tuple[float, Noise, int, int]) -> SprtTally:
    """Run tests of two bots with a known expected score; count wrong decisions and matches."""
    score, noise, tests, seed = task
    rng, test = Random(seed), Sprt()
    weights = block_scores(score, noise)
    wrong_end = SprtDecision.BETTER if score == test.null else SprtDecision.NOT_BETTER
    wrong = blocks = 0
    for _ in range(tests):
        cells = rng.choices(range(5), weights, k=_MOST_BLOCKS)
        decision, counts = test.run(cells, matches=2)
        wrong += decision == wrong_end
        blocks += sum(counts)
    return SprtTally(wrong / tests, 2 * blocks / tests)


def block_scores(score: float, noise: Noise) -> list[float]:
    """Return the probability of each score of a block, from 0 to 1 in quarters.

    The seed's share of the lead favours a seat, so it helps one bot in the first match and the
    other one in the second.
    """
    shared = noise is Noise.SHARED
    lead, unit = _lead_for(score), BETA * (1 if shared else math.sqrt(2))
    margin = draw_margin(DRAWS) * math.sqrt(2) * BETA / unit
    chances = [0.0] * 5
    for step in range(-_GRID, _GRID + 1):
        luck = _REACH * step / _GRID
        weight = _NORMAL.pdf(luck) * _REACH / _GRID
        seat = BETA * luck if shared else 0.0
        legs = [outcomes((lead + side) / unit, margin).probabilities for side in (seat, -seat)]
        for first, second in product(range(3), repeat=2):
            chances[4 - first - second] += weight * legs[0][first] * legs[1][second]
    return chances


def _lead_for(score: float) -> float:
    """Return the lead in strength with this score on average."""
    unit, margin = math.sqrt(2) * BETA, draw_margin(DRAWS)
    low, high = -2.0, 2.0
    for _ in range(60):
        lead = (low + high) / 2
        win, loss = _NORMAL.cdf(lead - margin), _NORMAL.cdf(-lead - margin)
        low, high = (lead, high) if win + (1 - win - loss) / 2 < score else (low, lead)
    return unit * (low + high) / 2
