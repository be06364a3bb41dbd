"""`bench ratings`: whether strengths, intervals and tests are as right as they say."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from pentathlon_engines.strength.best import chances_of_best, groups, rank_intervals
from pentathlon_engines.strength.played_matches import PlayedMatch
from pentathlon_engines.strength.thurstone import fit
from tools.benchmark.competition.coverage import Scenario, Tally, largest_change, play_field
from tools.benchmark.competition.demands import Demand
from tools.benchmark.competition.fields import (
    DRAWS,
    Luck,
    Noise,
    Seatings,
    draw_truth,
    paired_blocks,
    table_blocks,
)
from tools.benchmark.competition.sequential import golden_ratios, play_finals, run_tests
from tools.benchmark.competition.simulation import Simulation, SimulationPart

SCENARIOS: Final = (
    Scenario(bots=30, rounds=3, fields=150),
    Scenario(bots=30, rounds=20, fields=50),
    Scenario(bots=30, rounds=3, fields=100, noise=Noise.SHARED),
    Scenario(bots=30, rounds=20, fields=40, noise=Noise.SHARED),
    Scenario(bots=30, rounds=20, fields=100, noise=Noise.DETERMINISTIC),
    Scenario(bots=8, rounds=40, fields=300),
    Scenario(bots=8, rounds=40, fields=300, noise=Noise.SHARED),
    Scenario(bots=8, rounds=40, fields=400, noise=Noise.DETERMINISTIC),
    Scenario(bots=30, seats=3, rounds=1, fields=100),
    Scenario(bots=30, seats=5, rounds=1, fields=100),
    Scenario(bots=30, seats=3, rounds=1, fields=100, noise=Noise.SHARED),
    Scenario(bots=30, seats=5, rounds=1, fields=100, noise=Noise.SHARED),
    Scenario(bots=8, seats=3, rounds=1, fields=300),
    Scenario(bots=8, seats=5, rounds=1, fields=300),
    Scenario(bots=8, seats=3, rounds=1, fields=300, noise=Noise.SHARED),
    Scenario(bots=8, seats=5, rounds=1, fields=300, noise=Noise.SHARED),
)
_RHO: Final = {SCENARIOS[0]: 0.983, SCENARIOS[1]: 0.995}
_TESTS: Final = 6_000
_FINALS: Final = 150
_TWO: Final = 2


class _Measurement(Simulation):
    """All figures, one group after the other."""

    def demands(self) -> Iterator[Demand]:
        """Yield every figure."""
        yield from self._coverage()
        yield self._shuffled()
        yield from self._sprt()
        yield from self._finals()
        yield from self._speed()

    def _coverage(self) -> Iterator[Demand]:
        everything = Tally()
        for scenario in SCENARIOS:
            self._say(scenario.name)
            count = max(_TWO, scenario.fields // self._share)
            tasks = [(scenario, 1_000_000 * self._seed + number) for number in range(count)]
            tally = Tally()
            for each in self._map(play_field, tasks):
                tally.add(each)
            everything.add(tally)
            yield from _demands_of(scenario, tally)
        yield Demand(
            name="claims of P(best) ≥ .95 that are right, all scenarios",
            measured=everything.right / max(1, everything.claims),
            least=0.95,
            remark=f"{everything.right} of {everything.claims}",
        )

    def _shuffled(self) -> Demand:
        self._say("results in another order")
        changes = []
        for number, blocks in enumerate((table_blocks(30, 5, 1), paired_blocks(30, 4))):
            rng = Random(self._seed + number)
            truth = draw_truth(30, rng, spread=2.0)
            matches = list(Luck(truth, Noise.INDEPENDENT, rng).play(blocks))
            changes.append(largest_change(matches, seed=self._seed))
        return Demand(
            name="shuffled results: largest change of a strength",
            measured=max(changes),
            most=1e-6,
        )

    def _sprt(self) -> Iterator[Demand]:
        self._say("sequential tests")
        tests = _TESTS // self._share
        limits = {Noise.INDEPENDENT: 540, Noise.SHARED: 350}
        tasks = [(score, noise, tests, self._seed) for noise in limits for score in (0.5, 0.55)]
        for (score, noise, *_), found in zip(tasks, self._map(run_tests, tasks), strict=True):
            name = f"SPRT, {noise}, true score {score:g}"
            tried = f"{tests:,} tests"
            yield Demand(name=f"{name}: wrong", measured=found.wrong, most=0.05, remark=tried)
            yield Demand(name=f"{name}: mean matches", measured=found.matches, most=limits[noise])
        for computed, golden in golden_ratios():
            yield Demand(
                name=f"log likelihood ratio of fishtest: {golden}",
                measured=computed,
                least=golden - 0.01,
                most=golden + 0.01,
            )

    def _finals(self) -> Iterator[Demand]:
        self._say("finals")
        count = max(_TWO, _FINALS // self._share)
        seeds = [1_000_000 * self._seed + number for number in range(count)]
        short = self._map(play_finals, [(93, seed) for seed in seeds])
        yield Demand(
            name="finals of 8, spread 2: the best is first after at most 186 games",
            measured=sum(end.is_right for end in short) / count,
            least=0.85,
            remark=f"{count} fields, {sum(end.matches for end in short) / count:.0f} games",
        )
        long = self._map(play_finals, [(300, seed) for seed in seeds])
        claims = [end for end in long if end.has_claimed]
        yield Demand(
            name="finals of 8, spread 2: claims that are right",
            measured=sum(end.is_right for end in claims) / max(1, len(claims)),
            least=0.97,
            remark=f"{len(claims)} claims, {sum(end.matches for end in long) / count:.0f} games",
        )

    def _speed(self) -> Iterator[Demand]:
        rng = Random(self._seed)
        for bots, seats, whole in ((200, 5, 50_000), (300, 2, 89_700)):
            count = whole // self._share
            self._say(f"closing {count:,} matches")
            truth = draw_truth(bots, rng, spread=2.0)
            luck = Luck(truth, Noise.INDEPENDENT, rng)
            matches = list(luck.play(_drawn_blocks(bots, seats, count, rng)))
            yield Demand(
                name=f"CPU seconds to close {count:,} matches, {bots} bots, {seats} seats",
                measured=_closing_s(matches),
                most=30,
            )


def _demands_of(scenario: Scenario, tally: Tally) -> Iterator[Demand]:
    fields = f"{tally.fields} fields"
    yield Demand(
        name=f"{scenario.name}: coverage",
        measured=tally.held / tally.intervals,
        least=0.92,
        most=0.97,
        remark=f"{fields}, dispersion {tally.dispersion / tally.fields:.2f}",
    )
    if scenario in _RHO:
        yield Demand(
            name=f"{scenario.name}: rho",
            measured=tally.rho / tally.fields,
            least=_RHO[scenario],
            remark=f"{fields}, best first {tally.firsts / tally.fields:.2f}",
        )
    if scenario.seats == _TWO:
        yield Demand(
            name=f"{scenario.name}: live bars",
            measured=tally.held_live / tally.intervals,
            least=0.90,
        )


def _drawn_blocks(bots: int, seats: int, matches: int, rng: Random) -> Iterator[Seatings]:
    """Yield blocks of drawn groups in all turns around the table."""
    for _ in range(matches // seats):
        group = rng.sample(range(bots), seats)
        yield tuple(tuple(group[turn:] + group[:turn]) for turn in range(seats))


def _closing_s(matches: Sequence[PlayedMatch]) -> float:
    before = time.process_time()
    strengths = fit(matches, draw_probability=DRAWS)
    chances_of_best(strengths)
    groups(strengths)
    rank_intervals(strengths)
    return time.process_time() - before


RATINGS: Final = SimulationPart(
    HELP="whether strengths, intervals and sequential tests are as right as they say",
    title="Ratings",
    kind=_Measurement,
)
