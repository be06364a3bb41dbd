"""`manage.py bench PART`: measure this copy of Pentathlon; compare ratios, not times."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.local.servers.processes import ServerFailed
from pentathlon_engines import GAMES
from tools.benchmark import analysis, starvation, strength
from tools.benchmark.competition.ratings import RATINGS
from tools.benchmark.load import fill
from tools.benchmark.load.api import API
from tools.benchmark.load.capacity import CAPACITY
from tools.benchmark.load.growth import GROWTH
from tools.benchmark.load.lock_waits import BLOCKING
from tools.benchmark.load.recompute import RECOMPUTE
from tools.benchmark.matches import MATCH
from tools.benchmark.newcomer import command as newcomer
from tools.benchmark.part import BenchPart, SizeOption
from tools.benchmark.speed import command as engines
from tools.benchmark.throughput import command as throughput

_NODES = BenchPart(
    HELP="four worker nodes and two web processes, one node cut off and brought back",
    module="tools.benchmark.load.nodes",
    sizes=(
        SizeOption("matches", 240, 48, "matches that four nodes play, at least"),
        SizeOption("taking", 2, 2, "nodes with hints of the broker, not of the site"),
    ),
    has_broker=True,
)
_WIRE = BenchPart(
    HELP="CPU and time of a match by workers without keys, beside one with the database",
    module="tools.benchmark.wire.trial",
    sizes=(
        SizeOption("matches", 48, 16, "matches per round and kind of worker"),
        # Two measurements of three rounds differ by up to a tenth.
        SizeOption("rounds", 12, 2, "rounds"),
    ),
    has_broker=True,
    on_one_core=True,
    offer=lambda parser: parser.add_argument("--game", choices=sorted(GAMES), default="tuned"),
)
_PARTS: dict[str, Any] = {  # Any: modules and values with the same three names
    "match": MATCH,
    "throughput": throughput,
    "wire": _WIRE,
    "starvation": starvation,
    "engines": engines,
    "data": fill,
    "growth": GROWTH,
    "api": API,
    "nodes": _NODES,
    "capacity": CAPACITY,
    "blocking": BLOCKING,
    "recompute": RECOMPUTE,
    "ratings": RATINGS,
    "strength": strength,
    "analysis": analysis,
    "newcomer": newcomer,
}


class Command(BaseCommand):
    """Measure one part; each prints a table, or JSON."""

    help = __doc__
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options of every part."""
        parts = parser.add_subparsers(dest="part", required=True, metavar="PART")
        for name, part in _PARTS.items():
            part.add_arguments(parts.add_parser(name, help=part.HELP))

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Run the part."""
        try:
            _PARTS[options["part"]].run(options)
        except ServerFailed as error:
            raise CommandError(str(error)) from error
