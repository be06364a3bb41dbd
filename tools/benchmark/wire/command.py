"""The command behind `bench wire`: the cost of a match through HTTP, and without it."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any, Final

from pentathlon_engines import GAMES
from tools.benchmark.load.stage import offer_database, run_on

HELP: Final = "CPU and time of a match by workers without keys, beside one with the database"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    offer_database(parser)
    parser.add_argument("--game", choices=sorted(GAMES), default="tuned")
    parser.add_argument(
        "--matches", type=int, default=48, help="matches per round and kind of worker"
    )
    # Two measurements of three rounds differ by up to a tenth.
    parser.add_argument("--rounds", type=int, default=12, help="rounds (12: some five minutes)")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure on servers and databases of its own; fail when the demand is missed."""
    # As in `bench match`: on two cores, the time to wake a sleeping core would be measured.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    told = [f"--{name}={options[name]}" for name in ("game", "matches", "rounds")]
    run_on(options, "tools.benchmark.wire.trial", told, has_broker=True)
