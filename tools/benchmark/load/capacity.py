"""The cost of a match in CPU time and storage, for `/docs/capacity/`."""

import json
import os
import platform
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

from django.db import connection

from pentathlon.bots.models import Bot
from pentathlon.local.servers import processes
from pentathlon.operations.retention import other_holdings
from pentathlon.web.views.status import FILE
from pentathlon_engines import GAMES
from tools.benchmark.costs import Costs
from tools.benchmark.demands import Demand, Figures
from tools.benchmark.load.data import add_history, make_cast
from tools.benchmark.load.reconciler import follow_results
from tools.benchmark.matches import open_bench
from tools.benchmark.meter import cpu_s_of
from tools.benchmark.part import BenchPart, Options, SizeOption
from tools.benchmark.progress import Say

COMMAND: Final = "python3 manage.py bench capacity --write"
_PER_PLY: Final = ("turns", "engine", "re-simulation")
_FIRST_SEED: Final = 10_000
_LARGEST_SHOWN: Final = 8


def _measure(options: Options, say: Say) -> Figures:
    """Measure every game, then the rows of a history; write the figures if asked to."""
    matches, history = options["matches"], options["history"]
    games = {}
    with open_bench() as bench:
        for game in GAMES:
            costs = bench.measure(game, matches, say)
            say(f"{game}: the database")
            seeds = range(_FIRST_SEED, _FIRST_SEED + matches)
            ids = bench.stage.schedule(bench.version, game, seeds)
            before = _database_s()
            bench.stage.play(ids)
            database_ms = 1000 * (_database_s() - before) / matches
            games[game] = _figures(costs, database_ms=database_ms)
        sandbox = bench.launcher.level.value
    row_bytes, tables = _measure_rows(history, say)
    report = {
        "measured": datetime.now(tz=UTC).date().isoformat(),
        "command": COMMAND,
        "machine": {**_machine(), "sandbox": sandbox},
        "matches": matches,
        "history": history,
        "games": games,
        "row_bytes": round(row_bytes),
        "tables": tables,
    }
    if options["write"]:
        FILE.write_text(json.dumps(report, indent=2) + "\n")
    rows: dict[str, dict[str, float]] = {
        **games,
        "rows of a match": {"bytes": row_bytes},
        **{f"of these in {table}": {"bytes": size} for table, size in tables.items()},
    }
    return {
        name: [Demand(name=column, measured=figure) for column, figure in figures.items()]
        for name, figures in rows.items()
    }


def _figures(costs: Costs, *, database_ms: float) -> dict[str, float]:
    plies = median(costs.plies)
    by_ply = sum(costs.parts_ms[name] for name in _PER_PLY)
    return {
        "plies": plies,
        # The cost that no part explains counts for every match, whatever its length.
        "fixed_ms": round(max(costs.whole_ms, costs.sum_ms) - by_ply, 2),
        "ply_ms": round(by_ply / plies, 4),
        "database_ms": round(database_ms, 2),
        "replay_bytes": median(costs.replay_bytes),
    }


def _measure_rows(history: int, say: Say) -> tuple[float, dict[str, int]]:
    """Return the bytes of rows and indexes that a match adds, in all and to the largest tables.

    Replays are left out because they differ by game, and logs of bots because they are deleted
    after a while.
    """
    # Rename the bot, because the history makes one of the same name.
    Bot.objects.filter(name="measured-random").update(name="measured")
    cast = make_cast()
    before = dict(other_holdings())
    add_history(cast, done=history, waiting=0, say=say)
    follow_results(say)
    grown = {name: size - before.get(name, 0) for name, size in other_holdings()}
    replay = grown.pop("matches_replay")
    largest = sorted(grown, key=lambda name: -grown[name])[:_LARGEST_SHOWN]
    stored = _replay_bytes()
    # The row around a replay takes space even if its data is stored elsewhere.
    own = max(0.0, replay / history - stored)
    total = sum(grown.values()) / history + own
    return total, {name: round(grown[name] / history) for name in largest}


def _replay_bytes() -> float:
    with connection.cursor() as cursor:
        cursor.execute("SELECT AVG(LENGTH(data)) FROM matches_replay")
        return float(cursor.fetchone()[0])


def _database_s() -> float:
    """Return the CPU seconds of PostgreSQL, including its ended processes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    postmaster = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    living = [pid for pid in processes.children(postmaster) if Path(f"/proc/{pid}/stat").exists()]
    return cpu_s_of([postmaster, *living])


def _machine() -> dict[str, Any]:  # Any: JSON
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        (server,) = cursor.fetchone()
    return {
        "cpu": next(models, platform.machine()),
        "cores": os.cpu_count(),
        "memory_gib": round(pages * page / 1024**3),
        "python": platform.python_version(),
        "postgresql": server,
    }


def _offer(parser: ArgumentParser) -> None:
    what = "write the costs to the page /docs/capacity/"
    parser.add_argument("--write", action="store_true", help=what)


CAPACITY: Final = BenchPart(
    HELP="what a match costs workers and PostgreSQL, and leaves behind",
    measure=_measure,
    sizes=(
        SizeOption("matches", 24, 3, "matches of each game"),
        SizeOption("history", 20_000, 300, "matches whose rows are weighed"),
    ),
    databases=("postgres",),
    has_broker=True,
    on_one_core=True,
    offer=_offer,
)
