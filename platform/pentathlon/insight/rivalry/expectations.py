"""The result of a meeting that ratings predict. Pure; knows no database."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from pentathlon.ratings.skill import Skill
from pentathlon_engines.strength.pair_model import draw_margin, outcomes

MILLION: Final = 1_000_000


class Expectation(NamedTuple):
    """The share of the points that one of two may expect, and its variance, in millionths."""

    share: int
    variance: int


def expect(first: Skill, second: Skill, *, draw_probability: float, beta: float) -> Expectation:
    """Return what the first of two may expect; uncertain ratings draw it towards one half.

    >>> expect(Skill(25.0, 1.0), Skill(25.0, 1.0), draw_probability=0.1, beta=25 / 6).share
    500000
    """
    noise = math.sqrt(2 * beta**2 + first.sigma**2 + second.sigma**2)
    margin = draw_margin(draw_probability) * math.sqrt(2) * beta / noise
    win, draw, _ = outcomes((first.mu - second.mu) / noise, margin).probabilities
    share = win + draw / 2
    variance = max(0.0, win + draw / 4 - share**2)
    return Expectation(round(MILLION * share), round(MILLION * variance))
