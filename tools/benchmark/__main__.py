"""Measures on servers that were started for it: `python3 manage.py bench match` does that."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import django
from rich.console import Console

from pentathlon_engines import GAMES

django.setup()

# Models exist only from here on.
from pentathlon.fleet.capabilities import least_sandbox  # noqa: E402
from tools.benchmark.matches import Bench  # noqa: E402
from tools.benchmark.progress import show_progress  # noqa: E402
from tools.benchmark.report import beside, table_of  # noqa: E402
from tools.benchmark.rivals import measure_rivals  # noqa: E402
from tools.benchmark.stage import open_stage  # noqa: E402
from workers.direct.adapter import DirectPlatform  # noqa: E402
from workers.sandbox.levels import choose_level  # noqa: E402
from workers.slots.slot import open_slot  # noqa: E402


def main() -> int:
    """Print the costs of a match, game by game."""
    options = _options()
    console = Console(stderr=True)
    with show_progress(console) as show, open_stage(options.folder) as stage:
        slot = open_slot(
            choose_level(least=least_sandbox()), name="benchmark", fetch=DirectPlatform().archive
        )
        bench = Bench(stage=stage, bot=options.bot, launcher=slot.launcher)
        costs = [bench.measure(game, options.matches, show) for game in options.games or GAMES]
        rivals = measure_rivals(options.rivals) if options.rivals else {}
    if options.json:
        facts = {"bot": options.bot, "sandbox": slot.launcher.level.value, "database": "sqlite"}
        games = [cost.to_json() for cost in costs]
        report = {**facts, "games": games, "rivals": rivals}
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
    else:
        Console().print(table_of(costs))
        Console().print(beside(rivals))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--matches", type=int, required=True)
    parser.add_argument("--bot", required=True)
    parser.add_argument("--rivals", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("games", nargs="*")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
