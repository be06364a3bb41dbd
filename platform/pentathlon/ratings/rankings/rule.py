"""The rule of the Pentathlon ranking: authors over all games, as a pure function.

In each game an author is as strong as their best version, taken at mu - 3 sigma: skill that is
still uncertain does not count. Everybody may fall back on the built-in bot `random`, so a game
that an author has not entered, or plays worse than at random, counts as `random`. The author's
share in the game is the share of points (a win, or half a draw) that the rating model expects
against every other author of the ranking, each as strong as *their* best version. The ranking is
by the mean share.

Why so:

- Shares, not ratings: the scales of two games have nothing to do with each other, and a share
  cannot pass 1, so one great game gives at most a fifth of all there is.
- The best version, not all: a second, weaker bot changes nothing, so it never hurts.
- `random` for what is missing: entering a game can only help, so doing nothing never pays.
- Everybody against everybody: it does not matter which opponents a bot has met by chance.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import Final

from pentathlon.ratings.skill import BETA
from pentathlon_engines.strength.pair_model import draw_margin, outcomes
from pentathlon_engines.strength.places import shared_places

RULE: Final = "expected-share/1"
"""The name and version of the rule; every change here that changes a share raises the version."""

_STEP: Final = 0.05
"""The step of the grid on which shares are summed up; the error is below 0.000005."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedField:
    """The bots in a game, and the inputs of a forecast."""

    skills: Mapping[int, float]
    """By author, mu - 3 sigma of their best version; authors without one are left out."""
    random: float
    """Mu - 3 sigma of the built-in bot `random`."""
    draw_probability: float
    beta: float = BETA
    """The noise of one performance."""

    def skill_of(self, author: int) -> float:
        """Return what an author counts as in this game."""
        return max(self.skills.get(author, self.random), self.random)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """An author's place in the ranking."""

    author: int
    rank: int
    """Starts at 1; equal authors share a rank."""
    share: float
    """The mean of the shares in all games."""
    by_game: Mapping[str, float]


def rank_authors(fields: Mapping[str, RankedField]) -> list[Placing]:
    """Return the ranking of all authors who have entered at least one game, best first."""
    authors = sorted({author for field in fields.values() for author in field.skills})
    shares = {
        game: expected_shares(
            [field.skill_of(author) for author in authors],
            draw_probability=field.draw_probability,
            beta=field.beta,
        )
        for game, field in fields.items()
    }
    means = [math.fsum(each) / len(fields) for each in zip(*shares.values(), strict=True)]
    order = sorted(range(len(authors)), key=lambda index: (-means[index], authors[index]))
    ranks = shared_places(means[index] for index in order)
    return [
        Placing(
            author=authors[index],
            rank=rank,
            share=means[index],
            by_game={game: shares[game][index] for game in fields},
        )
        for rank, index in zip(ranks, order, strict=True)
    ]


def expected_points(lead: float, *, margin: float, beta: float = BETA) -> float:
    """Return the points that an author is expected to take from one match, given a lead in skill.

    >>> expected_points(0.0, margin=draw_margin(0.1))
    0.5
    """
    win, draw, _ = outcomes(lead / (math.sqrt(2) * beta), margin).probabilities
    return win + draw / 2


def expected_shares(
    skills: Sequence[float], *, draw_probability: float, beta: float = BETA
) -> list[float]:
    """Return everybody's expected share of points against all the others.

    The share of an author without opponents is one half. The sums go over a grid of skills, each
    skill spread over its two neighbours, so they cost the same for 100 and for 100,000 authors.

    >>> expected_shares([20.0, 20.0], draw_probability=0.1)
    [0.5, 0.5]
    """
    if len(skills) == 1:
        return [0.5]
    low = min(skills, default=0.0)
    places = [(skill - low) / _STEP for skill in skills]
    sums = _sums_on_grid(places, margin=draw_margin(draw_probability), beta=beta)
    others = len(skills) - 1
    # The sum includes the half point that everybody takes from themselves.
    return [(_between(sums, place) - 0.5) / others for place in places]


def _sums_on_grid(places: Sequence[float], *, margin: float, beta: float) -> dict[int, float]:
    """Return the points against all of `places`, for each grid point next to one of them."""
    last = int(max(places, default=0.0)) + 1
    weights = [0.0] * (last + 1)
    for place in places:
        below = int(place)
        weights[below] += 1 - (place - below)
        weights[below + 1] += place - below
    # One entry for each distance in steps, from the longest lead to the longest deficit.
    points = [
        expected_points(-step * _STEP, margin=margin, beta=beta) for step in range(-last, last + 1)
    ]
    near = {int(place) + offset for place in places for offset in (0, 1)}
    return {
        point: math.fsum(map(mul, weights, points[last - point : 2 * last - point + 1]))
        for point in near
    }


def _between(sums: Mapping[int, float], place: float) -> float:
    below = int(place)
    return sums[below] + (place - below) * (sums[below + 1] - sums[below])
