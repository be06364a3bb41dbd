"""A measurement by simulation on all cores; a quick run takes a tenth of the cases."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from os import sched_getaffinity
from typing import Any, Final, TypeVar

from rich.console import Console

from tools.benchmark.competition.demands import Demand, show_demands
from tools.benchmark.progress import show_progress

_QUICK: Final = 10
"""A short look divides the number of cases by this."""

Say = Callable[[str], None]
Given = TypeVar("Given")
Found = TypeVar("Found")


class Simulation(ABC):
    """All figures, one group after the other."""

    def __init__(self, pool: ProcessPoolExecutor, say: Say, *, share: int, seed: int) -> None:
        self._pool, self._say, self._share, self._seed = pool, say, share, seed

    @abstractmethod
    def demands(self) -> Iterator[Demand]:
        """Yield every figure."""

    def _map(self, work: Callable[[Given], Found], tasks: Sequence[Given]) -> list[Found]:
        chunk = max(1, len(tasks) // 40)
        return list(self._pool.map(work, tasks, chunksize=chunk))


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationPart:
    """A part of the command `bench` that makes one measurement."""

    HELP: str
    title: str
    kind: type[Simulation]

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        add = parser.add_argument
        add("--quick", action="store_true", help="run a tenth of the cases")
        add("--seed", type=int, default=1, help="seed; the same one gives the same figures (1)")
        add("--json", action="store_true", help="print JSON")

    def run(self, options: dict[str, Any]) -> None:  # Any: Django's own shape
        """Measure on all cores, print, and exit with 1 if a figure misses its target."""
        share, cores = _QUICK if options["quick"] else 1, len(sched_getaffinity(0))
        with (
            show_progress(Console(stderr=True)) as say,
            ProcessPoolExecutor(cores, mp_context=get_context("forkserver")) as pool,
        ):
            found = self.kind(pool, say, share=share, seed=options["seed"])
            demands = list(found.demands())
        sys.exit(show_demands(self.title, demands, as_json=options["json"]))
