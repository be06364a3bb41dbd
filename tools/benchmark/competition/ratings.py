"""`bench ratings`: whether strengths, intervals and tests are as right as they say."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import sched_getaffinity
from typing import Final, TypeVar

from tools.benchmark.competition.coverage import Scenario, Tally, play_field
from tools.benchmark.competition.fields import Noise
from tools.benchmark.competition.sequential import run_tests
from tools.benchmark.demands import Demand, Figures
from tools.benchmark.part import BenchPart, Options
from tools.benchmark.progress import Say

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

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
_MOST_MATCHES: Final = {Noise.INDEPENDENT: 540, Noise.SHARED: 350}
_QUICK: Final = 10
"""A short look divides the number of cases by this."""
_TWO: Final = 2


def _measure(options: Options, say: Say) -> Figures:
    """Measure on all cores."""
    share, seed = (_QUICK if options["quick"] else 1), options["seed"]
    cores = len(sched_getaffinity(0))
    with ProcessPoolExecutor(cores, mp_context=get_context("forkserver")) as pool:

        def spread(work: Callable[[Task], Outcome], tasks: Sequence[Task]) -> list[Outcome]:
            return list(pool.map(work, tasks, chunksize=max(1, len(tasks) // 40)))

        figures: list[Demand] = []
        everything = Tally()
        for scenario in SCENARIOS:
            say(scenario.name)
            count = max(_TWO, scenario.fields // share)
            tally = Tally()
            numbers = [1_000_000 * seed + number for number in range(count)]
            for field in spread(play_field, [(scenario, number) for number in numbers]):
                tally.add(field)
            everything.add(tally)
            figures += _demands_of(scenario, tally)
        say("sequential tests")
        tests = _TESTS // share
        tasks = [(score, noise, tests, seed) for noise in _MOST_MATCHES for score in (0.5, 0.55)]
        for (score, noise, *_), tried in zip(tasks, spread(run_tests, tasks), strict=True):
            name, most = f"SPRT, {noise}, true score {score:g}", _MOST_MATCHES[noise]
            remark = f"{tests:,} tests"
            figures += [
                Demand(name=f"{name}: wrong", measured=tried.wrong, most=0.05, remark=remark),
                Demand(name=f"{name}: mean matches", measured=tried.matches, most=most),
            ]
    claims = Demand(
        name="claims of P(best) ≥ .95 that are right, all scenarios",
        measured=everything.right / max(1, everything.claims),
        least=0.95,
        remark=f"{everything.right} of {everything.claims}",
    )
    return [*figures, claims]


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


def _offer(parser: ArgumentParser) -> None:
    what = "the same seed gives the same figures (1)"
    parser.add_argument("--seed", type=int, default=1, help=what)


RATINGS: Final = BenchPart(
    HELP="whether strengths, intervals and sequential tests are as right as they say",
    measure=_measure,
    databases=("sqlite",),
    offer=_offer,
)
