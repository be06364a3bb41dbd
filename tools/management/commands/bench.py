"""`manage.py bench PART`: measure this copy of Pentathlon; compare ratios, not times."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.local.servers.readiness import ServerFailed
from tools.benchmark import analysis, languages, starvation, strength
from tools.benchmark import command as matches
from tools.benchmark.clock import command as clock
from tools.benchmark.competition import eta, ladder, tournaments
from tools.benchmark.competition.ratings import RATINGS
from tools.benchmark.competition.schedules import SCHEDULES
from tools.benchmark.live import command as live
from tools.benchmark.load import commands as load
from tools.benchmark.newcomer import command as newcomer
from tools.benchmark.speed import command as engines
from tools.benchmark.throughput import command as throughput
from tools.benchmark.wire import command as wire

_PARTS: dict[str, Any] = {  # Any: modules and values with the same three names
    "match": matches,
    "throughput": throughput,
    "wire": wire,
    "clock": clock,
    "starvation": starvation,
    "live": live,
    "engines": engines,
    "data": load.DATA,
    "growth": load.GROWTH,
    "api": load.API,
    "nodes": load.NODES,
    "capacity": load.CAPACITY,
    "blocking": load.BLOCKING,
    "reads": load.READS,
    "ratings": RATINGS,
    "schedules": SCHEDULES,
    "tournaments": tournaments,
    "eta": eta,
    "ladder": ladder,
    "strength": strength,
    "analysis": analysis,
    "languages": languages,
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
