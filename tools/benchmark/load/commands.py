"""`bench data`, `bench growth`, `bench api`, `bench nodes`, `bench blocking` and `bench reads`."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.local.preparation import prepare_database
from pentathlon.matches.models import Match
from tools.benchmark.load.data import add_history, count_all_scores, make_cast
from tools.benchmark.load.stage import offer_database, run_on
from tools.benchmark.load.tables import analyse

Options = dict[str, Any]  # Any: Django's own shape


@dataclass(frozen=True, slots=True)
class LoadPart:
    """One part of the command `bench`."""

    HELP: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Options], None]


def _offer_sizes(parser: ArgumentParser) -> None:
    parser.add_argument("--done", type=int, default=10_000, help="finished matches (10,000)")
    parser.add_argument("--waiting", type=int, default=1_000, help="waiting matches (1,000)")
    parser.add_argument(
        "--bots", type=int, default=100, help="number of bots that play them (100)"
    )
    parser.add_argument(
        "--tournaments", type=int, default=1, help="tournaments of the finished matches (1)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed; the same one gives the same data (1)"
    )


def _fill(options: Options) -> None:
    """Fill the database that the settings name, if nothing was ever played in it."""
    prepare_database()
    if Match.objects.exists():
        raise CommandError("Matches were played here: name an empty database in DATABASE_URL.")
    cast = make_cast(bots=options["bots"], seed=options["seed"])
    sizes = {name: options[name] for name in ("done", "waiting")}
    longest = ceil(max(1, options["done"]) / max(1, options["tournaments"]))
    add_history(
        cast,
        **sizes,
        longest=longest,
        seed=options["seed"] + 1,
        say=lambda _: None,
    )
    count_all_scores()
    analyse()


def _offer_growth(parser: ArgumentParser) -> None:
    offer_database(parser)
    parser.add_argument("--small", type=int, default=10_000, help="finished matches (10,000)")
    parser.add_argument(
        "--large", type=int, default=1_000_000, help="finished matches to compare with (1,000,000)"
    )
    parser.add_argument(
        "--waiting",
        type=int,
        default=100_000,
        help="waiting matches in the large database (100,000)",
    )
    parser.add_argument(
        "--runs", type=int, default=10, help="number of runs; the best one counts (10)"
    )


def _measure_growth(options: Options) -> None:
    sizes = [f"--{name}={options[name]}" for name in ("small", "large", "waiting", "runs")]
    run_on(options, "tools.benchmark.load.growth", sizes)


_API_SIZES: Final = (
    # name, whole, quick, of what
    ("small", 10_000, 300, "finished matches"),
    ("large", 1_000_000, 1_200, "against these"),
    ("waiting", 100_000, 600, "in the large one; the small one has a hundredth"),
    ("bots", 50_000, 200, "bots that play them"),
    ("tournaments", 500, 12, "tournaments of the large one"),
    ("requests", 400, 24, "of each call at each size"),
    ("uploads", 1_000, 20, "uploads"),
    ("listeners", 200, 10, "listeners of one match"),
)
_NODE_SIZES: Final = (
    ("matches", 240, 48, "matches that four nodes play, at least"),
    ("taking", 2, 2, "nodes that take hints from the broker; the others ask the site"),
)


def _offer(parser: ArgumentParser, sizes: Iterable[tuple[str, int, int, str]]) -> None:
    offer_database(parser)
    _offer_numbers(parser, sizes)


def _offer_numbers(parser: ArgumentParser, sizes: Iterable[tuple[str, int, int, str]]) -> None:
    for name, whole, quick, what in sizes:
        parser.add_argument(f"--{name}", type=int, help=f"{what} ({whole:,}; quick: {quick:,})")
    parser.add_argument("--quick", action="store_true", help="use small sizes")


def _told(options: Options, sizes: Iterable[tuple[str, int, int, str]]) -> list[str]:
    found = []
    for name, whole, quick, _ in sizes:
        asked = options[name]
        number = asked if asked is not None else quick if options["quick"] else whole
        found.append(f"--{name}={number}")
    return found


def _offer_api(parser: ArgumentParser) -> None:
    _offer(parser, _API_SIZES)


def _measure_api(options: Options) -> None:
    run_on(options, "tools.benchmark.load.api", _told(options, _API_SIZES), has_broker=True)


def _offer_nodes(parser: ArgumentParser) -> None:
    _offer(parser, _NODE_SIZES)


def _measure_nodes(options: Options) -> None:
    run_on(options, "tools.benchmark.load.nodes", _told(options, _NODE_SIZES), has_broker=True)


_CAPACITY_SIZES: Final = (
    ("matches", 24, 3, "matches of each game"),
    ("history", 20_000, 300, "matches whose rows are weighed"),
)


def _offer_capacity(parser: ArgumentParser) -> None:
    _offer_numbers(parser, _CAPACITY_SIZES)
    parser.add_argument(
        "--write", action="store_true", help="write the costs to the page /docs/capacity/"
    )


def _measure_capacity(options: Options) -> None:
    # On two cores, the time to wake a sleeping core would be measured.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    sizes = [*_told(options, _CAPACITY_SIZES), f"--write={int(options['write'])}"]
    asked = {**options, "database": "postgres", "json": False}
    run_on(asked, "tools.benchmark.load.capacity", sizes, has_broker=True)


def _offer_blocking(parser: ArgumentParser) -> None:
    offer_database(parser)
    parser.add_argument("--bots", type=int, default=200, help="bots in a double round robin (200)")


def _measure_blocking(options: Options) -> None:
    run_on(options, "tools.benchmark.load.lock_waits", [f"--bots={options['bots']}"])


def _offer_reads(parser: ArgumentParser) -> None:
    offer_database(parser)
    parser.add_argument("--bots", type=int, default=225, help="bots, which all meet twice (225)")


def _measure_reads(options: Options) -> None:
    run_on(options, "tools.benchmark.load.reads", [f"--bots={options['bots']}"])


DATA: Final = LoadPart("fill an empty database with a long history", _offer_sizes, _fill)
GROWTH: Final = LoadPart(
    "whether pages and steps cost the same with a long history", _offer_growth, _measure_growth
)
BLOCKING: Final = LoadPart(
    "how long others wait while something long runs", _offer_blocking, _measure_blocking
)
API: Final = LoadPart(
    "the ten most used calls, uploads, listeners, claims and memory beside a million matches",
    _offer_api,
    _measure_api,
)
NODES: Final = LoadPart(
    "four worker nodes and two web processes, one node cut off and brought back",
    _offer_nodes,
    _measure_nodes,
)
CAPACITY: Final = LoadPart(
    "what a match costs workers and PostgreSQL, and leaves behind; prints JSON",
    _offer_capacity,
    _measure_capacity,
)
READS: Final = LoadPart(
    "CPU of every public address beside tournaments of 50,000 matches",
    _offer_reads,
    _measure_reads,
)
