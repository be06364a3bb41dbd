"""`bench recompute`: what it costs to write all changes of a large leaderboard anew."""

import time
from typing import Final

from pentathlon.local.preparation import prepare_database
from pentathlon.ratings.models import Pool, live_key
from pentathlon.ratings.recompute import recompute_pool
from tools.benchmark.demands import Demand, Figures
from tools.benchmark.load.data import GAME, add_history, make_cast
from tools.benchmark.load.page_cost import cost_of
from tools.benchmark.load.tables import analyse
from tools.benchmark.meter import MemoryWatch
from tools.benchmark.part import BenchPart, Options, SizeOption
from tools.benchmark.progress import Say

_MILLION: Final = 1_000_000
_OTHER_DRAWS: Final = 0.07
"""With another draw rate, each stored change is wrong by a little."""


def make_stale(key: str) -> Pool:
    """Return a pool of which a recompute has to write every change anew."""
    Pool.objects.filter(key=key).update(draw_probability=_OTHER_DRAWS, is_stale=True)
    return Pool.objects.get(key=key)


def _measure(options: Options, say: Say) -> Figures:
    prepare_database()
    add_history(make_cast(bots=options["bots"]), done=options["results"], waiting=0, say=say)
    analyse()
    pool = make_stale(live_key(GAME))
    say(f"recompute of {options['results']:,} results")
    started = time.monotonic()
    with MemoryWatch() as memory:
        cost = cost_of(lambda: recompute_pool(pool_id=pool.pk))
    share = pool.applied_seq / _MILLION
    name = "recompute, every change rewritten"
    return [
        Demand(name=f"{name}: CPU s per million", measured=cost.cpu_s / share, most=120),
        Demand(name=f"{name}: s per million", measured=(time.monotonic() - started) / share),
        Demand(name=f"{name}: peak MiB over idle", measured=memory.peak_mib, most=30),
        Demand(
            name=f"{name}: MiB more at the end than at 25 %",
            measured=memory.late_growth_mib,
            most=10,
        ),
    ]


RECOMPUTE: Final = BenchPart(
    HELP="CPU and memory of a recompute of a large leaderboard",
    measure=_measure,
    sizes=(
        SizeOption("results", _MILLION, 10_000, "results of the leaderboard"),
        SizeOption("bots", 300, 100, "bots"),
    ),
)
