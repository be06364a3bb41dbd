"""TrueSkill between two, without building its graph: the same operations in the same order.

The `trueskill` package sends messages around a graph of some thirty objects for each match. With
two players nearly all messages are empty, and what is left is the arithmetic below. No operation
is reordered or left out that could round, so every bit is the package's; the names are those of
its layers. A message is a pair of precision (`pi`) and precision times mean (`tau`).
"""

from __future__ import annotations

import math
from typing import Final

from trueskill import TrueSkill, calc_draw_margin

_DELTA: Final = 0.0001
_MOST_ROUNDS: Final = 10

Message = tuple[float, float]
Numbers = tuple[float, float]
"""A mean and a standard deviation."""


class TwoPlayerRater:
    """Rates matches of two in one environment without drift and with a fixed draw probability."""

    def __init__(self, environment: TrueSkill) -> None:
        self._cdf = environment.cdf
        self._pdf = environment.pdf
        self._v_draw = environment.v_draw
        self._w_draw = environment.w_draw
        self._variance = environment.beta**2
        self._margin: float = calc_draw_margin(environment.draw_probability, 2, environment)

    def rate(self, better: Numbers, other: Numbers, *, is_draw: bool) -> tuple[Numbers, Numbers]:
        """Return the numbers of both after a match; after a draw, the first seat counts as better.

        Raises:
            FloatingPointError: the result is too far from the expected one for floats.
        """
        first, second = _prior(better), _prior(other)
        first_perf, second_perf = self._performed(first), self._performed(second)
        first_team, second_team = _team(first_perf), _team(second_perf)
        lead = _lead(first_team, second_team)
        seen = self._truncated(lead, is_draw=is_draw)
        up = (seen[0] - lead[0], seen[1] - lead[1])
        up_mean = up[0] and up[1] / up[0]
        up_variance = _inverse(up[0])
        to_first = _sum(
            up_mean, up_variance, second_team[1] / second_team[0], 1.0 / second_team[0]
        )
        first_told = (first_team[0] + to_first[0], first_team[1] + to_first[1])
        # The message to the first player is divided out again, which rounds.
        first_back = (first_told[0] - to_first[0], first_told[1] - to_first[1])
        to_second = _sum(
            first_back[0] and first_back[1] / first_back[0],
            _inverse(first_back[0]),
            -1.0 * up_mean,
            up_variance,
        )
        second_told = (second_team[0] + to_second[0], second_team[1] + to_second[1])
        return (
            self._learnt(first, first_perf, first_team, first_told),
            self._learnt(second, second_perf, second_team, second_told),
        )

    def _performed(self, skill: Message) -> Message:
        share = 1.0 / (1.0 + self._variance * skill[0])
        return share * skill[0], share * skill[1]

    def _truncated(self, lead: Message, *, is_draw: bool) -> Message:
        """Return the belief about the lead, given that the match was won, or drawn."""
        belief, told = lead, (0.0, 0.0)
        for _ in range(_MOST_ROUNDS):
            pi, tau = belief[0] - told[0], belief[1] - told[1]
            root = math.sqrt(pi)
            v, w = self._corrections(tau / root, self._margin * root, is_draw=is_draw)
            rest = 1.0 - w
            seen = (pi / rest, (tau + root * v) / rest)
            moved = abs(belief[0] - seen[0]), abs(belief[1] - seen[1])
            told = (seen[0] + told[0] - belief[0], seen[1] + told[1] - belief[1])
            belief = seen
            if max(moved[1], math.sqrt(moved[0])) <= _DELTA:
                break
            # The message about the lead is sent once more, which changes nothing but the last
            # bits.
            belief = (seen[0] - lead[0] + lead[0], seen[1] - lead[1] + lead[1])
        return belief

    def _corrections(self, diff: float, margin: float, *, is_draw: bool) -> tuple[float, float]:
        if is_draw:
            return self._v_draw(diff, margin), self._w_draw(diff, margin)
        x = diff - margin
        below = self._cdf(x)
        v = self._pdf(x) / below if below else -x
        w = v * (v + x)
        if 0 < w < 1:
            return v, w
        raise FloatingPointError("the result is too far from the expected one")

    def _learnt(self, skill: Message, perf: Message, team: Message, told: Message) -> Numbers:
        """Pass the message to a team on to the skill of its only player."""
        news = (told[0] - team[0], told[1] - team[1])
        pi = 1.0 / _inverse(news[0])
        tau = pi * (news[0] and news[1] / news[0])
        heard = (perf[0] + pi - perf[0], perf[1] + tau - perf[1])
        share = 1.0 / (1.0 + self._variance * heard[0])
        return _numbers((skill[0] + share * heard[0], skill[1] + share * heard[1]))


def _prior(numbers: Numbers) -> Message:
    pi = numbers[1] ** -2
    mean = (pi * numbers[0]) / pi
    sigma = math.sqrt(math.sqrt(1 / pi) ** 2)
    pi = sigma**-2
    return pi, pi * mean


def _team(perf: Message) -> Message:
    pi = 1.0 / (1.0 / perf[0])
    return pi, pi * (perf[1] / perf[0])


def _lead(first: Message, second: Message) -> Message:
    pi = 1.0 / (1.0 / first[0] + 1.0 / second[0])
    return pi, pi * (first[1] / first[0] + -1.0 * (second[1] / second[0]))


def _sum(mean: float, variance: float, other_mean: float, other_variance: float) -> Message:
    pi = 1.0 / (variance + other_variance)
    return pi, pi * (mean + other_mean)


def _inverse(pi: float) -> float:
    return 1.0 / pi if pi else math.inf


def _numbers(skill: Message) -> Numbers:
    """Return mean and deviation as a rating has them, which holds precision and `tau` instead."""
    pi = math.sqrt(1 / skill[0]) ** -2
    tau = pi * (skill[1] / skill[0])
    return tau / pi, math.sqrt(1 / pi)
