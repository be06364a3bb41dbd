"""Whether pages and the reconciler cost the same after a long history as after a short one."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from pentathlon.ladders.seasons import open_ladders  # noqa: E402
from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.matches.services import return_expired_leases  # noqa: E402
from pentathlon.ratings.services import apply_results  # noqa: E402
from pentathlon.tournaments.scheduling.schedules import make_schedules  # noqa: E402
from pentathlon.tournaments.services import close_finished  # noqa: E402
from tools.benchmark.load.addresses import addresses, examples_of, with_queries  # noqa: E402
from tools.benchmark.load.cost import Cost, Work, least_cost, read_page  # noqa: E402
from tools.benchmark.load.data import (  # noqa: E402
    GAME,
    Say,
    add_history,
    add_rivalry,
    make_cast,
)
from tools.benchmark.load.dispatch import send_and_take_back  # noqa: E402
from tools.benchmark.load.figures import Figure, show  # noqa: E402
from tools.benchmark.load.followers import follow_results  # noqa: E402
from tools.benchmark.load.positions import explore_history  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402

MOST_RATIO: Final = 1.3
_NOISE: Final = "/games/tuned/rules/"
"""An address that reads no history: its ratio shows how far the others can be trusted."""
_WARM_UP: Final = 1
_FILL_A_PAGE: Final = 100
"""More tournaments than any page shows."""
_LEAST_S: Final = 0.005
"""Shorter times count as this long: they would say more about the clock than about the work."""


def main() -> int:
    """Fill the database, measure, fill it up to the larger size, measure again and compare.

    Already the small database has enough short tournaments, and meetings of one pair of bots, to
    fill a page, so that pages show as many rows at both sizes.
    """
    options = read_options("small", "large", "waiting", "runs")
    logging.getLogger("django.request").setLevel(logging.CRITICAL)  # refused pages are expected
    console = Console(stderr=True)
    with console.status("Starting") as status:
        prepare_database()
        prepare_static_files()
        cast = make_cast()
        add_rivalry(cast)
        open_ladders()
        waiting = options.small // 10
        short = options.small // _FILL_A_PAGE
        add_history(cast, done=options.small, waiting=waiting, longest=short, say=status.update)
        explore_history(GAME, matches=options.small)
        follow_results(status.update)
        examples = examples_of(cast)
        asked = [*addresses(examples), *with_queries(examples)]
        works = _works([path for path in asked if read_page(path) == HTTPStatus.OK])
        small = _measure(works, runs=options.runs, say=status.update)
        add_history(
            cast,
            done=options.large - options.small,
            waiting=options.waiting - waiting,
            say=status.update,
        )
        explore_history(GAME, matches=options.large)
        follow_results(status.update)
        large = _measure(works, runs=options.runs, say=status.update)
    figures = [_figure(name, small[name], large[name]) for name in works]
    title = f"{options.small} done against {options.large} done and {options.waiting} waiting"
    return show(title, figures, verdict="ratio", as_json=options.json)


def _works(paths: Sequence[str]) -> Mapping[str, Work]:
    works: dict[str, Work] = {path: partial(read_page, path) for path in paths}
    works["apply_results"] = apply_results
    works["publish_pending"] = send_and_take_back
    works["return_expired_leases"] = return_expired_leases
    works["close_finished"] = close_finished
    works["make_schedules"] = make_schedules
    return works


def _measure(works: Mapping[str, Work], *, runs: int, say: Say) -> dict[str, Cost]:
    costs = {}
    for name, work in works.items():
        say(f"Measuring {name}")
        costs[name] = least_cost(work, runs=runs, warm_up=_WARM_UP)
    return costs


def _figure(name: str, small: Cost, large: Cost) -> Figure:
    columns = {
        "small, ms": small.wall_s,
        "large, ms": large.wall_s,
        "small, CPU ms": small.cpu_s,
        "large, CPU ms": large.cpu_s,
    }
    return Figure(
        name=name,
        measured={column: 1000 * seconds for column, seconds in columns.items()},
        verdict=large.wall_s / max(small.wall_s, _LEAST_S),
        demanded=None if name == _NOISE else MOST_RATIO,
    )


if __name__ == "__main__":
    sys.exit(main())
