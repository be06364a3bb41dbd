"""The drawn example of the guide to ratings: one bot, rated by the real arithmetic."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Final, NamedTuple

from pentathlon.ratings.skill import BETA, MU, Skill, rate
from pentathlon.ratings.uncertainty import StrengthBar, is_provisional, live_bar

SCALE: Final = (0.0, 50.0)
_STAGES: Final = (0, 10, 100)
_OPPONENT: Final = Skill(mu=MU, sigma=1.0)
_WINS_OF_THREE: Final = 2
_DRAWS: Final = 0.0
_POINTS: Final = 400
_HIGH, _WIDE = 100.0, 1000.0
_TALL: Final = 0.85
"""The share of the height that the tallest curve takes; its label needs the rest."""
_LABEL_AT: Final = 1.0
"""Where a curve's label stands, in standard deviations from the peak."""
_LEADS: Final = (0.5, 1.0, 2.0, 3.0)
"""The leads that are shown, in betas."""


class LessonStage(NamedTuple):
    """The estimate after some matches, and its curve."""

    matches: int
    bar: StrengthBar
    rating: float
    is_provisional: bool
    path: str
    label_x: str
    """The position of its label, in percent of the drawing."""
    label_y: str


class Lead(NamedTuple):
    """How often a bot with a lead in strength wins."""

    lead: float
    percent: int


@cache
def stages() -> list[LessonStage]:
    """Return the example: a bot that wins two of three matches against average opponents."""
    skill, known = Skill(), {0: Skill()}
    for nth in range(1, max(_STAGES) + 1):
        ranks = (0, 1) if nth % 3 < _WINS_OF_THREE else (1, 0)
        skill, _ = rate((skill, _OPPONENT), ranks, draw_probability=_DRAWS)
        known[nth] = skill
    top = max(_density(known[matches], known[matches].mu) for matches in _STAGES)
    return [_stage(matches, known[matches], top) for matches in _STAGES]


def leads() -> list[Lead]:
    """Return how often the stronger of two bots wins, by its lead."""
    return [
        # Both bots play with a spread of one beta, so the standard deviation of their difference
        # is the root of two betas squared.
        Lead(part * BETA, round(100 * NormalDist().cdf(part / math.sqrt(2))))
        for part in _LEADS
    ]


def _stage(matches: int, skill: Skill, top: float) -> LessonStage:
    low, high = SCALE
    points = []
    for step in range(_POINTS + 1):
        strength = low + (high - low) * step / _POINTS
        height = _density(skill, strength) / top
        points.append(f"{_WIDE * step / _POINTS:.1f} {_HIGH * (1 - _TALL * height):.1f}")
    # To the right of the peak, so that the labels of flat curves stand clear of the tall one.
    at = skill.mu + skill.sigma * _LABEL_AT
    return LessonStage(
        matches=matches,
        bar=live_bar(skill, mean=MU),
        rating=skill.score,
        is_provisional=is_provisional(skill),
        path="M" + "L".join(points),
        label_x=f"{100 * (at - low) / (high - low):.1f}%",
        label_y=f"{100 * (1 - _TALL * _density(skill, at) / top):.1f}%",
    )


def _density(skill: Skill, strength: float) -> float:
    distance = (strength - skill.mu) / skill.sigma
    return math.exp(-distance * distance / 2) / skill.sigma
