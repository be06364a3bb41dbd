"""Tests and finals that end when they know enough: how often they err, and after how long."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from statistics import NormalDist
from typing import Final

from pentathlon_engines.strength.pair_model import draw_margin
from pentathlon_engines.strength.sprt import Sprt, SprtDecision, normalized_ratio
from pentathlon_engines.strength.thurstone import BETA
from pentathlon_engines.tournament.formats.finals import Finals, estimate
from pentathlon_engines.tournament.formats.interface import (
    Batch,
    FieldEntry,
    Over,
    Plan,
    PlayedBlock,
)
from tools.benchmark.competition.fields import DRAWS, Luck, Noise, draw_truth

FISHTEST: Final = (
    ((365, 16618, 36229, 16974, 390), 2.25),
    ((379, 10170, 21828, 10640, 343), 2.95),
)
"""Counts of blocks, and the log likelihood ratio that fishtest gives for 0 against 2."""
_MOST_BLOCKS: Final = 1040
_SAMPLE: Final = 100_000
_NORMAL: Final = NormalDist()


@dataclass(frozen=True, slots=True)
class SprtTally:
    """How many tests ended wrongly, and their mean number of matches."""

    wrong: float
    matches: float


def run_tests(task: tuple[float, Noise, int, int]) -> SprtTally:
    """Run tests between two whose expected score is given; return what came out."""
    score, noise, tests, seed = task
    rng, test = Random(seed), Sprt()
    weights = _cells(score, noise, rng)
    wrong_end = SprtDecision.BETTER if score == test.null else SprtDecision.NOT_BETTER
    wrong = blocks = 0
    for _ in range(tests):
        cells = rng.choices(range(5), weights, k=_MOST_BLOCKS)
        found, counts = test.run(cells, matches=2)
        wrong += found == wrong_end
        blocks += sum(counts)
    return SprtTally(wrong / tests, 2 * blocks / tests)


def golden_ratios() -> list[tuple[float, float]]:
    """Return what we compute and what fishtest has published."""
    return [
        (normalized_ratio(counts, null_elo=0, alternative_elo=2), golden)
        for counts, golden in FISHTEST
    ]


@dataclass(frozen=True, slots=True)
class FinalsEnd:
    """How the finals of one field went."""

    matches: int
    has_claimed: bool
    is_right: bool
    """Whether the strongest was found: by the claim, or as the first of the estimate."""


def play_finals(task: tuple[int, int]) -> FinalsEnd:
    """Play `finals/1` among eight, with a budget of blocks."""
    budget, seed = task
    rng = Random(seed)
    truth = draw_truth(8, rng, spread=2.0)
    luck, finals = Luck(truth, Noise.INDEPENDENT, rng), Finals()
    params = {name: parameter.default for name, parameter in finals.parameters.items()}
    plan = Plan(
        seats=2,
        params={**params, "blocks": budget},
        key=seed.to_bytes(32),
        draw_probability=DRAWS,
    )
    entries = [FieldEntry(number, str(number)) for number in range(len(truth))]
    played: list[PlayedBlock] = []
    while isinstance(step := finals.next(plan, entries, played), Batch):
        for block in step.blocks:
            ends = luck.play_block(len(played), block.seatings)
            ranks = tuple(match.ranks for match in ends)
            played.append(PlayedBlock(block.round, block.seatings, ranks))
    strengths = estimate(plan, played)
    first = strengths.players[strengths.mu.index(max(strengths.mu))]
    has_claimed = isinstance(step, Over) and "probability" in step.remark
    return FinalsEnd(2 * len(played), has_claimed, truth[first] == max(truth))


def _cells(score: float, noise: Noise, rng: Random) -> list[int]:
    """Return how often each score of a block comes, from 0 to 1 in quarters."""
    lead = _lead_for(score)
    luck = Luck([lead, 0.0], noise, rng)
    counts = [0] * 5
    legs = ((0, 1), (1, 0))
    for number in range(_SAMPLE):
        cell = 0
        for match in luck.play_block(number, legs):
            own, other = (match.ranks[match.players.index(bot)] for bot in (0, 1))
            cell += 2 if own < other else 1 if own == other else 0
        counts[cell] += 1
    return counts


def _lead_for(score: float) -> float:
    """Return the lead in strength that scores so much on average."""
    unit, margin = math.sqrt(2) * BETA, draw_margin(DRAWS)
    low, high = -2.0, 2.0
    for _ in range(60):
        lead = (low + high) / 2
        win, loss = _NORMAL.cdf(lead - margin), _NORMAL.cdf(-lead - margin)
        low, high = (lead, high) if win + (1 - win - loss) / 2 < score else (low, lead)
    return unit * (low + high) / 2
