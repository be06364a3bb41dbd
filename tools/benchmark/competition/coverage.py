"""Measures how often intervals hold the truth, and how close an order is to the true one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random

from pentathlon.ratings.skill import Skill, fold, results_of_matches
from pentathlon.ratings.uncertainty import final_bar, live_bar, mean_of
from pentathlon_engines.strength.best import chances_of_best
from pentathlon_engines.strength.pair_model import PlayedMatch
from pentathlon_engines.strength.thurstone import fit
from tools.benchmark.competition.fields import (
    DRAWS,
    Luck,
    Noise,
    draw_truth,
    paired_blocks,
    table_blocks,
)

_TWO = 2
_CLAIM = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Fields of one kind, and how much they play."""

    bots: int
    seats: int = 2
    rounds: int
    """With two seats, the matches of each pair; with more, the cycles of tables."""
    noise: Noise = Noise.INDEPENDENT
    spread: float = 2.0
    fields: int

    @property
    def name(self) -> str:
        """Return a name for tables."""
        return f"{self.bots} bots, {self.seats} seats, {self.noise}, {self._length}"

    @property
    def _length(self) -> str:
        if self.seats == _TWO:
            return f"{self.rounds * (self.bots - 1)} games each"
        return "1 cycle" if self.rounds == 1 else f"{self.rounds} cycles"

    def blocks(self) -> Sequence[tuple[tuple[int, ...], ...]]:
        """Return the blocks that are played."""
        if self.seats == _TWO:
            return paired_blocks(self.bots, self.rounds)
        return table_blocks(self.bots, self.seats, self.rounds)


@dataclass(slots=True)
class Tally:
    """Counts over some fields."""

    fields: int = 0
    held: int = 0
    held_live: int = 0
    intervals: int = 0
    rho: float = 0.0
    firsts: int = 0
    claims: int = 0
    right: int = 0
    dispersion: float = 0.0

    def add(self, other: Tally) -> None:
        """Add another tally to this one."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def play_field(task: tuple[Scenario, int]) -> Tally:
    """Play one field, estimate it, and compare with the truth."""
    scenario, seed = task
    rng = Random(seed)
    truth = draw_truth(scenario.bots, rng, spread=scenario.spread)
    matches = list(Luck(truth, scenario.noise, rng).play(scenario.blocks()))
    strengths = fit(matches, draw_probability=DRAWS)
    best = truth.index(max(truth))
    chances = chances_of_best(strengths).chances
    claimed = max(chances) >= _CLAIM
    bars = [final_bar(Skill(mu, strengths.sigma(bot))) for bot, mu in enumerate(strengths.mu)]
    return Tally(
        fields=1,
        held=sum(bar.low <= real <= bar.high for bar, real in zip(bars, truth, strict=True)),
        held_live=_held_live(matches, truth) if scenario.seats == _TWO else 0,
        intervals=scenario.bots,
        rho=rank_correlation(strengths.mu, truth),
        firsts=strengths.mu.index(max(strengths.mu)) == best,
        claims=claimed,
        right=claimed and chances.index(max(chances)) == best,
        dispersion=strengths.dispersion,
    )


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rho of two lists without ties."""
    size = len(first)
    gaps = zip(_ranks(first), _ranks(second), strict=True)
    return 1 - 6 * sum((one - other) ** 2 for one, other in gaps) / (size * (size**2 - 1))


def _held_live(matches: Iterable[PlayedMatch], truth: Sequence[float]) -> int:
    """Count the bars of a live table that contain the true strength."""
    skills = fold(results_of_matches(matches), draw_probability=DRAWS)
    mean = mean_of(skills.values())
    bars = {bot: live_bar(skill, mean=mean) for bot, skill in skills.items()}
    return sum(bar.low <= truth[bot] <= bar.high for bot, bar in bars.items())


def _ranks(values: Sequence[float]) -> list[int]:
    ranks = [0] * len(values)
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        ranks[index] = rank
    return ranks
