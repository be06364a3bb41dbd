"""`bench data`: fills the empty database that `DATABASE_URL` names, and measures nothing."""

from argparse import ArgumentParser
from math import ceil
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.local.preparation import prepare_database
from pentathlon.matches.models import Match
from tools.benchmark.load.data import add_history, count_all_scores, make_cast
from tools.benchmark.load.tables import analyse

HELP: Final = "fill an empty database with a long history"
_SIZES: Final = (
    ("done", 10_000, "finished matches"),
    ("waiting", 1_000, "waiting matches"),
    ("bots", 100, "bots that play them"),
    ("tournaments", 1, "tournaments of the finished matches"),
    ("seed", 1, "the same seed gives the same data"),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    for name, size, what in _SIZES:
        parser.add_argument(f"--{name}", type=int, default=size, help=f"{what} ({size:,})")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Fill the database, if nothing was ever played in it."""
    prepare_database()
    if Match.objects.exists():
        raise CommandError("Matches were played here: name an empty database in DATABASE_URL.")
    cast = make_cast(bots=options["bots"], seed=options["seed"])
    add_history(
        cast,
        done=options["done"],
        waiting=options["waiting"],
        longest=ceil(max(1, options["done"]) / max(1, options["tournaments"])),
        seed=options["seed"] + 1,
        say=lambda _: None,
    )
    count_all_scores()
    analyse()
