"""`bench ladder`: how soon a new upload plays, and what a ladder of many bots costs."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from pentathlon.local.runtime import runtime_folder
from pentathlon_engines import GAMES
from tools.benchmark.load.stage import offer_database, run_on

HELP: Final = "how soon a new upload plays on the ladder, and what a ladder of many bots costs"

_SIZES: Final = {"bots": 10_000, "small": 10_000, "large": 1_000_000}
_SMALL_SIZES: Final = {"bots": 600, "small": 1_000, "large": 20_000}


def add_arguments(parser: ArgumentParser) -> None:
    """Offer what may be chosen."""
    offer_database(parser)
    parser.add_argument("--quick", action="store_true", help="one game, small sizes")
    parser.add_argument("--only", choices=("uploads", "growth"), help="both if left out")
    parser.add_argument("--game", choices=list(GAMES), help="upload to this ladder alone")
    for name, size in _SIZES.items():
        parser.add_argument(f"--{name}", type=int, help=f"({size:,})")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure, print, and end with 1 if something misses what is demanded."""
    missed = options["only"] != "growth" and _play_uploads(options) != 0
    if options["only"] != "uploads":
        sizes = _SMALL_SIZES if options["quick"] else _SIZES
        chosen = {name: options[name] or size for name, size in sizes.items()}
        arguments = [f"--{name}={size}" for name, size in chosen.items()]
        run_on(options, "tools.benchmark.competition.ladder_growth", arguments)
    if missed:
        raise CommandError("Not as demanded; see above.")


def _play_uploads(options: dict[str, Any]) -> int:  # Any: Django's own shape
    """Measure on a platform of its own, which `up` runs."""
    games = [options["game"]] if options["game"] else ["tuned"] if options["quick"] else [*GAMES]
    with runtime_folder() as folder:
        environment = child_environment(
            DJANGO_SETTINGS_MODULE="pentathlon.settings",
            DATABASE_URL=f"sqlite:///{folder}/ladder.sqlite3",
            PENTATHLON_DATA=str(folder / "data"),
            PENTATHLON_LOG_LEVEL="ERROR",
            PYTHONPATH=IMPORT_PATH,
        )
        environment.pop("REDIS_URL", None)
        command = [sys.executable, "-m", "tools.benchmark.competition.uploads", *games]
        command += ["--folder", str(folder), *(["--json"] if options["json"] else [])]
        return subprocess.run(command, cwd=CHECKOUT, env=environment, check=False).returncode
