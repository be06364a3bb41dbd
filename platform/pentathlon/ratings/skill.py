"""TrueSkill as this project uses it: pure functions over plain floats.

The arithmetic is that of the `trueskill` package, so anybody can compute a table again with it.
A bot version never changes, so skills do not drift (tau = 0). Every step starts from the floats
that are stored, so folding the same results in the same order gives the same bits each time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from trueskill import Rating, TrueSkill

from pentathlon.ratings.two_player import TwoPlayerRater
from pentathlon_engines.strength.pair_model import PlayedMatch

MU = 25.0
SIGMA = 25.0 / 3
BETA = 25.0 / 6
"""A lead of one beta in skill wins about 76 of 100 matches."""
ALGORITHM_VERSION = 3
"""Raised by every change that changes a rating. Since version 3 exact repeats count once."""

_TWO = 2


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
