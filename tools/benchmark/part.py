"""A part of `manage.py bench` that measures in a process of its own, on a platform of its own."""

import json
import os
import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.console import Console

from tools.benchmark.demands import Figures, show_demands
from tools.benchmark.load.stage import DATABASES, run_on
from tools.benchmark.progress import Say, show_progress

Options = dict[str, Any]  # Any: Django's own shape


class SizeOption(NamedTuple):
    """How much is measured: an option of the command, with a value for `--quick`."""

    name: str
    whole: int
    quick: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPart:
    """One measurement: its options, the servers that it needs, and the function that measures."""

    HELP: str
    measure: Callable[[Options, Say], Figures] | None = None
    """Measures in the child; None if `module` does."""
    module: str = "django"
    sizes: Sequence[SizeOption] = ()
    databases: Sequence[str] = DATABASES
    has_broker: bool = False
    on_one_core: bool = False
    offer: Callable[[ArgumentParser], object] | None = None
    """Adds options beside the sizes."""
    prepare: Callable[[Options], dict[str, str]] | None = None
    """Prepares in the parent; returns environment variables of the child."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options."""
        for name, whole, quick, what in self.sizes:
            words = f"{what} ({whole:,}; quick: {quick:,})"
            parser.add_argument(f"--{name}", type=int, help=words)
        parser.add_argument("--quick", action="store_true", help="use small sizes")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--here", help=SUPPRESS)
        if len(self.databases) > 1:
            parser.add_argument("--database", choices=self.databases, help="both by default")
        if self.offer:
            self.offer(parser)

    def run(self, options: Options) -> None:
        """Measure on a fresh database of each kind; raise if one run misses a demand."""
        if options["here"]:
            sys.exit(self._measure_here(json.loads(options["here"])))
        chosen = dict(options)
        for name, whole, quick, _ in self.sizes:
            if chosen[name] is None:
                chosen[name] = quick if options["quick"] else whole
        if self.on_one_core:
            # On two cores, the time to wake a sleeping core would be measured.
            os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        variables = self.prepare(chosen) if self.prepare else {}
        facts = json.dumps(chosen, default=str)  # Django adds streams
        named = ["bench", options["part"], "--here"] if self.measure else []
        kinds = [options["database"]] if options.get("database") else self.databases
        broker = self.has_broker
        run_on(kinds, self.module, [*named, facts], has_broker=broker, **variables)

    def _measure_here(self, options: Options) -> int:
        if self.measure is None:
            raise TypeError(f"{self.module} measures by itself.")
        with show_progress(Console(stderr=True)) as say:
            figures = self.measure(options, say)
        return show_demands(self.HELP, figures, as_json=options["json"])
