"""`bench eta`: the accuracy of running tournaments' estimated time left, with real matches."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import CommandError

from tools.benchmark.competition.real_site import measure_on_site

HELP: Final = "how right the time left is that tournaments tell beside the ladders of an `up`"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--minutes", type=float, default=30.0, help="maximum duration (30)")
    parser.add_argument(
        "--share", type=float, default=1.0, help="share of the tournaments to play (1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure on a platform of its own, print, and end with 1 if an estimate is wrong."""
    arguments = ["--minutes", str(options["minutes"]), "--share", str(options["share"])]
    module = "tools.benchmark.competition.ends"
    if not measure_on_site(module, arguments, as_json=options["json"]):
        raise CommandError("The demands are not met; see above.")
