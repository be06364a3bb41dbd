"""The command behind `bench live`: many listeners of one match, on a real web process."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from tools.trials import run_trial, trial_environment

HELP: Final = "200 listeners of one match: subscriptions, delay of a ply, memory and CPU"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--plies", type=int, default=40)
    parser.add_argument("--every", type=float, default=0.5, help="seconds between two plies")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure on servers and a database of its own; fail when a demand is missed."""
    with runtime_folder() as folder, running_valkey(folder) as url:
        names = ("listeners", "plies", "every", "json")
        asked = json.dumps({name: options[name] for name in names})
        environment = trial_environment(folder, REDIS_URL=url)
        is_met = run_trial("tools.benchmark.live.trial", asked, environment=environment)
    if not is_met:
        raise CommandError("A demand was missed; see above.")
