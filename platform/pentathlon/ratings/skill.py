"""TrueSkill as this project uses it: pure functions over plain floats.

The arithmetic is that of the `trueskill` package, so anybody can compute a table again with it.
A bot version never changes, so skills do not drift (tau = 0). Every step starts from the floats
that are stored, so folding the same results in the same order gives the same bits each time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from trueskill import Rating, TrueSkill, calc_draw_margin

from pentathlon_engines.strength.pair_model import PlayedMatch

_DELTA: Final = 0.0001
_MOST_ROUNDS: Final = 10

Message = tuple[float, float]
Numbers = tuple[float, float]
"""A mean and a standard deviation."""
MU = 25.0
SIGMA = 25.0 / 3
BETA = 25.0 / 6
"""A lead of one beta in skill wins about 76 of 100 matches."""
ALGORITHM_VERSION = 3
"""Raised by every change that changes a rating. Since version 3 exact repeats count once."""
_TWO = 2


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


@dataclass(frozen=True, slots=True)
class Skill:
    """The estimated strength of a bot version: a normal distribution."""

    mu: float = MU
    sigma: float = SIGMA

    @property
    def score(self) -> float:
        """The strength that it very likely has at least, which orders live tables."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one match: the versions by seat, and their ranks (0 = best)."""

    players: tuple[int, ...]
    ranks: tuple[int, ...]
    is_repeat: bool = False
    """Whether the same players in the same seats have played this match before, move by move."""

    @property
    def has_winner(self) -> bool:
        """Whether somebody was best; a match in which all failed tells nothing about strengths."""
        return 0 in self.ranks

    @property
    def teaches(self) -> bool:
        """Whether the result tells something new about strengths."""
        return self.has_winner and not self.is_repeat


def rate(
    skills: Sequence[Skill],
    ranks: Sequence[int],
    *,
    draw_probability: float,
    beta: float = BETA,
) -> list[Skill]:
    """Return the skills after one match; both sequences are in the order of the seats.

    That order matters to the last bits when players tie, so it must not be left to chance. If
    nobody was best, all failed, and the skills stay as they are.
    """
    if 0 not in ranks:
        return list(skills)
    if len(skills) == _TWO:
        try:
            return _rate_two(skills, ranks, _two_player_rater(draw_probability, beta))
        except (ArithmeticError, ValueError):
            pass  # the package knows what to do
    groups = [(Rating(skill.mu, skill.sigma),) for skill in skills]
    try:
        rated = _environment(draw_probability, beta).rate(groups, ranks=ranks)
    except FloatingPointError:
        # Floats cannot express so unlikely a result; a bot that crashes in every match gets there.
        rated = _environment(draw_probability, beta, "mpmath").rate(groups, ranks=ranks)
    return [Skill(float(rating.mu), float(rating.sigma)) for (rating,) in rated]


def learn(
    skills: Sequence[Skill], result: Result, *, draw_probability: float, beta: float = BETA
) -> list[Skill]:
    """Return the skills after a result. An exact repeat changes nothing.

    Otherwise, bots that always play alike would seem ever more certain: after 280 matches among
    eight of them, 39 % of the 95 % intervals held the truth. Counted once, more than 95 % do.
    """
    if result.is_repeat:
        return list(skills)
    return rate(skills, result.ranks, draw_probability=draw_probability, beta=beta)


def _rate_two(skills: Sequence[Skill], ranks: Sequence[int], duel: TwoPlayerRater) -> list[Skill]:
    first, second = ((skill.mu, skill.sigma) for skill in skills)
    if ranks[0] <= ranks[1]:
        told = duel.rate(first, second, is_draw=ranks[0] == ranks[1])
    else:
        told = duel.rate(second, first, is_draw=False)[::-1]
    return [Skill(*numbers) for numbers in told]


def fold(
    results: Iterable[Result],
    *,
    draw_probability: float,
    beta: float = BETA,
    start: Mapping[int, Skill] | None = None,
) -> dict[int, Skill]:
    """Return everybody's skill after `results` in the order given."""
    skills = dict(start or {})
    for result in results:
        before = [skills.get(player, Skill()) for player in result.players]
        after = learn(before, result, draw_probability=draw_probability, beta=beta)
        skills.update(zip(result.players, after, strict=True))
    return skills


def results_of_matches(matches: Iterable[PlayedMatch]) -> Iterator[Result]:
    """Yield the results of matches, in which exact repeats are marked."""
    seen: set[tuple[tuple[int, ...], str]] = set()
    for match in matches:
        if match.course is None:
            yield Result(match.players, match.ranks)
        else:
            played = (match.players, match.course)
            yield Result(match.players, match.ranks, played in seen)
            seen.add(played)


def draw_probability(*, draws: int, pairs: int) -> float:
    """Return a game's draw probability after `draws` in `pairs` comparisons of neighbours.

    Never 0: a draw that was thought impossible would make skills less certain, not more.
    """
    return min(max((draws + 1) / (pairs + 10), 0.005), 0.5)


@lru_cache(maxsize=64)
def _environment(draw_probability: float, beta: float, backend: str | None = None) -> TrueSkill:
    return TrueSkill(
        mu=MU,
        sigma=SIGMA,
        beta=beta,
        tau=0.0,
        draw_probability=draw_probability,
        backend=backend,
    )


@lru_cache(maxsize=64)
def _two_player_rater(draw_probability: float, beta: float) -> TwoPlayerRater:
    return TwoPlayerRater(_environment(draw_probability, beta))
