"""An order-free fit: the skills that explain all results of a set at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pentathlon.ratings.skill import MU, Result, Skill, rate

_TOLERANCE = 1e-3
_MOST_SWEEPS = 40


@dataclass(frozen=True, slots=True)
class _Belief:
    """A normal distribution by precision and precision times mean, which add up."""

    precision: float = 0.0
    weighted: float = 0.0

    @classmethod
    def of(cls, skill: Skill) -> _Belief:
        precision = skill.sigma**-2
        return cls(precision, precision * skill.mu)

    def without(self, other: _Belief) -> _Belief:
        return _Belief(self.precision - other.precision, self.weighted - other.weighted)

    def skill(self) -> Skill:
        return Skill(self.weighted / self.precision, math.sqrt(1 / self.precision))


def fit(results: Sequence[Result], *, draw_probability: float) -> dict[int, Skill]:
    """Return everybody's skill by expectation propagation over all results.

    Each result's opinion of each player is taken out, formed anew from what all other results
    say, and put back, until nothing moves: no result counts for being early or late. Results
    only tell differences, so the mean over all players is `MU` by convention. Results without
    a winner tell nothing and are left out.
    """
    results = [result for result in results if result.has_winner]
    players = list(dict.fromkeys(player for result in results for player in result.players))
    beliefs = dict.fromkeys(players, _Belief.of(Skill()))
    opinions = [[_Belief()] * len(result.players) for result in results]
    skills = _centred(beliefs)
    for _ in range(_MOST_SWEEPS):
        for result, said in zip(results, opinions, strict=True):
            _speak_again(beliefs, result, said, draw_probability)
        before, skills = skills, _centred(beliefs)
        if all(abs(skills[player].mu - before[player].mu) < _TOLERANCE for player in players):
            break
    return skills


def _speak_again(
    beliefs: dict[int, _Belief], result: Result, said: list[_Belief], draw_probability: float
) -> None:
    others = [
        beliefs[player].without(opinion)
        for player, opinion in zip(result.players, said, strict=True)
    ]
    rated = rate(
        [other.skill() for other in others], result.ranks, draw_probability=draw_probability
    )
    for seat, player in enumerate(result.players):
        beliefs[player] = _Belief.of(rated[seat])
        said[seat] = beliefs[player].without(others[seat])


def _centred(beliefs: dict[int, _Belief]) -> dict[int, Skill]:
    skills = {player: belief.skill() for player, belief in beliefs.items()}
    shift = MU - math.fsum(skill.mu for skill in skills.values()) / max(1, len(skills))
    return {player: Skill(skill.mu + shift, skill.sigma) for player, skill in skills.items()}
