"""`bench ladder`: how soon a new upload plays, and what a ladder of many bots costs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.env import UNLIMITED
from pentathlon_engines import GAMES
from tools.benchmark.competition.real_site import measure_on_site
from tools.benchmark.load.stage import offer_database, run_on

HELP: Final = "how soon a new upload plays on the ladder, and what a ladder of many bots costs"

_SIZES: Final = {"bots": 10_000, "small": 10_000, "large": 1_000_000}
_SMALL_SIZES: Final = {"bots": 600, "small": 1_000, "large": 20_000}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    offer_database(parser)
    parser.add_argument("--quick", action="store_true", help="one game, small sizes")
    parser.add_argument("--only", choices=("uploads", "growth"), help="both by default")
    parser.add_argument("--game", choices=list(GAMES), help="upload only to this ladder")
    for name, size in _SIZES.items():
        parser.add_argument(f"--{name}", type=int, help=f"({size:,})")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure, print, and exit with 1 if a figure misses its demand."""
    missed = options["only"] != "growth" and not _play_uploads(options)
    if options["only"] != "uploads":
        sizes = _SMALL_SIZES if options["quick"] else _SIZES
        chosen = {name: options[name] or size for name, size in sizes.items()}
        arguments = [f"--{name}={size}" for name, size in chosen.items()]
        run_on(options, "tools.benchmark.competition.ladder_growth", arguments)
    if missed:
        raise CommandError("The demands are not met; see above.")


def _play_uploads(options: dict[str, Any]) -> bool:  # Any: Django's own shape
    """Measure on a platform of its own, which `up` runs; return whether all demands were met."""
    games = [options["game"]] if options["game"] else ["tuned"] if options["quick"] else [*GAMES]
    module = "tools.benchmark.competition.uploads"
    unlimited = {"PENTATHLON_LADDER_MATCHES_AN_HOUR": UNLIMITED}
    return measure_on_site(module, games, as_json=options["json"], **unlimited)
