"""The cost of a match in CPU time and storage, for `/docs/capacity/`."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402

from pentathlon.bots.models import Bot  # noqa: E402
from pentathlon.fleet.capabilities import least_sandbox  # noqa: E402
from pentathlon.local.servers import processes  # noqa: E402
from pentathlon.matches.models import Match, MatchState  # noqa: E402
from pentathlon.operations.retention import other_holdings  # noqa: E402
from pentathlon.web.docs.capacity import FILE  # noqa: E402
from pentathlon_engines import GAMES  # noqa: E402
from tools.benchmark.costs import Costs  # noqa: E402
from tools.benchmark.load.data import Say, add_history, make_cast  # noqa: E402
from tools.benchmark.load.followers import follow_results  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.matches import Bench  # noqa: E402
from tools.benchmark.meter import cpu_s_of  # noqa: E402
from tools.benchmark.progress import show_progress  # noqa: E402
from tools.benchmark.stage import Stage, open_stage  # noqa: E402
from workers.direct.adapter import DirectPlatform  # noqa: E402
from workers.sandbox.levels import choose_level  # noqa: E402
from workers.slots.slot import open_slot  # noqa: E402

COMMAND: Final = "python3 manage.py bench capacity --write"
_PER_PLY: Final = ("turns", "engine", "re-simulation")
_FIRST_SEED: Final = 10_000
_LARGEST_SHOWN: Final = 8


def main() -> int:
    """Measure every game, then the rows of a history; print or write the figures."""
    options = read_options("matches", "history", "write")
    with show_progress(Console(stderr=True)) as say:
        folder = Path(str(settings.DATA_FOLDER)).parent
        with open_stage(folder) as stage:
            level = choose_level(least=least_sandbox())
            slot = open_slot(level, name="benchmark", fetch=DirectPlatform().archive)
            bench = Bench(stage=stage, bot="random", launcher=slot.launcher)
            games = {game: _measure(bench, stage, game, options.matches, say) for game in GAMES}
            sandbox = slot.launcher.level.value
        rows, tables = _measure_rows(options.history, say)
    report = {
        "measured": datetime.now(tz=UTC).date().isoformat(),
        "command": COMMAND,
        "machine": {**_machine(), "sandbox": sandbox},
        "matches": options.matches,
        "history": options.history,
        "games": games,
        "row_bytes": round(rows),
        "tables": tables,
    }
    text = json.dumps(report, indent=2) + "\n"
    if options.write:
        FILE.write_text(text)
    sys.stdout.write(text)
    return 0


def _measure(bench: Bench, stage: Stage, game: str, matches: int, say: Say) -> dict[str, float]:
    costs = bench.measure(game, matches, say)
    say(f"{game}: the database")
    ids = stage.schedule(bench.version, game, range(_FIRST_SEED, _FIRST_SEED + matches))
    before = _database_s()
    stage.play(ids)
    database_s = _database_s() - before
    if Match.objects.filter(pk__in=ids).exclude(state=MatchState.DONE).exists():
        sys.exit(f"A match of {game} was not played.")
    return _figures(costs, database_ms=1000 * database_s / matches)


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
    before = _sizes()
    add_history(cast, done=history, waiting=0, say=say)
    follow_results(say)
    grown = {name: size - before.get(name, 0) for name, size in _sizes().items()}
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


def _sizes() -> dict[str, int]:
    return dict(other_holdings())


def _database_s() -> float:
    """Return the CPU seconds of PostgreSQL, including its ended processes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    postmaster = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return cpu_s_of([postmaster, *_living(list(processes.children(postmaster)))])


def _living(pids: Sequence[int]) -> list[int]:
    return [pid for pid in pids if Path(f"/proc/{pid}/stat").exists()]


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


if __name__ == "__main__":
    sys.exit(main())
