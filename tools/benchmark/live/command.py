"""Behind `bench live`: many listeners of one match that is played beside a real web process."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from pentathlon.local.runtime import runtime_folder
from pentathlon.local.valkey import running_valkey

HELP: Final = "200 listeners of one match: subscriptions, delay of a ply, memory and CPU"


def add_arguments(parser: ArgumentParser) -> None:
    """Offer what may be chosen."""
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--plies", type=int, default=40)
    parser.add_argument("--every", type=float, default=0.5, help="seconds between two plies")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure on servers and a database of its own; fail when a demand is missed."""
    with runtime_folder() as folder, running_valkey(folder) as url:
        environment = child_environment(
            DJANGO_SETTINGS_MODULE="pentathlon.settings",
            DATABASE_URL=f"sqlite:///{folder}/bench.sqlite3",
            REDIS_URL=url,
            PENTATHLON_DATA=str(folder / "data"),
            PENTATHLON_LOG_LEVEL="ERROR",
            PYTHONPATH=IMPORT_PATH,
        )
        names = ("listeners", "plies", "every", "json")
        asked = json.dumps({name: options[name] for name in names})
        command = [sys.executable, "-m", "tools.benchmark.live.trial", asked]
        ended = subprocess.run(command, cwd=CHECKOUT, env=environment, check=False)
    if ended.returncode:
        raise CommandError("A demand was missed; see above.")
