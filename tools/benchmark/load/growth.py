"""`bench growth`: whether pages and the reconciler cost the same after a long history.

The small database already has enough short tournaments, and meetings of one pair of bots, to fill
a page, so that pages show as many rows at both sizes.
"""

import logging
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Final

from pentathlon.ladders.seasons import open_ladders
from pentathlon.local.preparation import prepare_database, prepare_static_files
from pentathlon.matches.services import return_expired_leases
from pentathlon.ratings.services import apply_results
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.services import close_finished
from tools.benchmark.demands import Demand, Figures
from tools.benchmark.load.addresses import addresses, examples_of, with_queries
from tools.benchmark.load.data import Cast, add_history, add_rivalry, make_cast
from tools.benchmark.load.page_cost import Cost, Work, least_cost, read_page
from tools.benchmark.load.reconciler import follow_results, send_and_take_back
from tools.benchmark.part import BenchPart, Options, SizeOption
from tools.benchmark.progress import Say

MOST_RATIO: Final = 1.3
_NOISE: Final = "/games/tuned/rules/"
"""An address that reads no history: its ratio shows how far the others can be trusted."""
_FILL_A_PAGE: Final = 100
"""More tournaments than any page shows."""
_LEAST_S: Final = 0.005
"""Shorter times count as this long: they would say more about the clock than about the work."""


def _measure(options: Options, say: Say) -> Figures:
    """Fill the database, measure, fill it up to the larger size, measure again and compare."""
    small_done, small_waiting = options["small"], options["small"] // 10
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # refused pages are expected
    prepare_database()
    prepare_static_files()
    cast = make_cast()
    add_rivalry(cast)
    open_ladders()
    add_history(
        cast,
        done=small_done,
        waiting=small_waiting,
        longest=max(1, small_done // _FILL_A_PAGE),
        say=say,
    )
    follow_results(say)
    works = _works(cast)
    small = _costs(works, runs=options["runs"], say=say)
    waiting = options["waiting"] - small_waiting
    add_history(cast, done=options["large"] - small_done, waiting=waiting, say=say)
    follow_results(say)
    large = _costs(works, runs=options["runs"], say=say)
    return {name: compare(name, small[name], large[name]) for name in works}


def _works(cast: Cast) -> Mapping[str, Work]:
    examples = examples_of(cast)
    paths = [*addresses(examples), *with_queries(examples)]
    answered = [path for path in paths if read_page(path) == HTTPStatus.OK]
    works: dict[str, Work] = {path: partial(read_page, path) for path in answered}
    works["apply_results"] = apply_results
    works["publish_pending"] = send_and_take_back
    works["return_expired_leases"] = return_expired_leases
    works["close_finished"] = close_finished
    works["make_schedules"] = make_schedules
    return works


def _costs(works: Mapping[str, Work], *, runs: int, say: Say) -> dict[str, Cost]:
    costs = {}
    for name, work in works.items():
        say(f"Measuring {name}")
        costs[name] = least_cost(work, runs=runs, warm_up=1)
    return costs


def compare(name: str, small: Cost, large: Cost) -> list[Demand]:
    """Return the milliseconds of a page or a step at both sizes, and their judged ratio."""
    shown = {
        "small, ms": small.wall_s,
        "large, ms": large.wall_s,
        "small, CPU ms": small.cpu_s,
        "large, CPU ms": large.cpu_s,
    }
    ratio = large.wall_s / max(small.wall_s, _LEAST_S)
    most = None if name == _NOISE else MOST_RATIO
    figures = [Demand(name=column, measured=1000 * cost_s) for column, cost_s in shown.items()]
    return [*figures, Demand(name="ratio", measured=ratio, most=most)]


GROWTH: Final = BenchPart(
    HELP="whether pages and steps cost the same with a long history",
    measure=_measure,
    sizes=(
        SizeOption("small", 10_000, 300, "finished matches"),
        SizeOption("large", 1_000_000, 1_200, "finished matches to compare with"),
        SizeOption("waiting", 100_000, 600, "waiting matches in the large database"),
        SizeOption("runs", 10, 2, "number of runs; the best one counts"),
    ),
)
