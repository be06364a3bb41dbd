"""The command behind `bench wire`: the cost of a match through HTTP, and without it."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from pentathlon_engines import GAMES
from tools.trials import run_trial, trial_environment

HELP: Final = "CPU and time of a match by a worker without keys, beside one with the database"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--game", choices=sorted(GAMES), default="tuned")
    parser.add_argument(
        "--matches", type=int, default=48, help="matches per round and kind of worker"
    )
    # Two measurements of three rounds differ by up to a tenth.
    parser.add_argument("--rounds", type=int, default=12, help="rounds (12: some five minutes)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure on servers and a database of its own; fail when the demand is missed."""
    # As in `bench match`: on two cores, the time to wake a sleeping core would be measured.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with runtime_folder() as folder, running_valkey(folder) as url:
        environment = trial_environment(
            folder,
            REDIS_URL=url,
            PENTATHLON_LOG_LEVEL="WARNING",
            PENTATHLON_BOT_MATCHES="1000",  # one bot plays all of them
            PENTATHLON_STARVED_SHARE="2",  # other programs must not hold back the only slot
        )
        names = ("game", "matches", "rounds", "json")
        asked = json.dumps({**{name: options[name] for name in names}, "folder": str(folder)})
        is_met = run_trial("tools.benchmark.wire.trial", asked, environment=environment)
    if not is_met:
        raise CommandError("The demand was missed, or the measurement broke off; see above.")
