"""The command behind `bench engines`."""

import sys
import venv
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from rich.console import Console

from pentathlon.env import CHECKOUT
from pentathlon.local.environment.compiled_build import CannotCompile, compiled_engines
from pentathlon.local.environment.installer import InstallFailed, install
from pentathlon_engines import GAMES
from tools.benchmark.demands import Demand, show_demands
from tools.benchmark.games import check_games, offer_games
from tools.benchmark.progress import show_progress
from tools.benchmark.speed.field import (
    COMPILED,
    PURE,
    ContestantFailed,
    Figures,
    SpeedEntry,
    measure,
    opponents,
    our_entries,
)

HELP: Final = (
    "moves and playouts per second, pure and compiled, beside python-chess and open_spiel; "
    "what environments for learning cost beside the rules"
)
_LOCKED: Final = "requirements/bench.txt"
_COLUMNS: Final = {
    "moves": "moves/s",
    "listed": "listed/s",
    "playouts": "playouts/s",
    "copy_ns": "copy ns",
    "legal_ns": "legal ns",
    "apply_ns": "apply ns",
}
_LEARNERS: Final = {"vector": 3, "pettingzoo": 8}
"""The most that an action may cost in an environment for learning, as a multiple of the rules."""
_CHESS: Final = ("chess", "chess")
_CONNECT_FOUR: Final = ("open_spiel", "connect_four")

Rows = Sequence[tuple[SpeedEntry, Figures]]


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    offer_games(parser)
    parser.add_argument("--rounds", type=int, default=7, help="runs per median (7)")
    parser.add_argument("--slice", type=float, default=0.3, help="CPU seconds per figure (0.3)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Compile, install the opponents, measure all in turns, print."""
    check_games(options["games"])
    console = Console(stderr=True)
    try:
        entries = our_entries(options["games"] or list(GAMES), compiled=compiled_engines())
        entries += opponents(opponents_python(CHECKOUT / ".venv-bench"))
        with show_progress(console) as show:
            rows = measure(entries, rounds=options["rounds"], slice_s=options["slice"], say=show)
    except (CannotCompile, ContestantFailed, InstallFailed) as error:
        raise CommandError(str(error)) from error
    sys.exit(report(rows, as_json=options["json"]))


def report(rows: Rows, *, as_json: bool) -> int:
    """Print rates and ratios, as JSON in one document; return the exit status."""
    title = "Per CPU second, medians: moves driven from Python, playouts inside"
    if as_json:
        return show_demands(title, {**rates(rows), **ratios(rows)}, as_json=True)
    show_demands(title, rates(rows), as_json=False)
    return show_demands("Ratios within this run", ratios(rows), as_json=False)


def rates(rows: Rows) -> dict[str, list[Demand]]:
    """Return one row for each game and build."""
    return {
        f"{entry.game}, {entry.build}": [
            Demand(name=_COLUMNS[name], measured=figures[name])
            for name in _COLUMNS
            if name in figures
        ]
        for entry, figures in rows
    }


def ratios(rows: Rows) -> dict[str, list[Demand]]:
    """Return how our games compare with the other packages in this run, a column for each game."""
    by_name = {(entry.build, entry.game): figures for entry, figures in rows}
    games = [game for build, game in by_name if build == PURE]
    compared = (
        # our build and figure, other entry (None: our pure build), least
        (PURE, "moves", _CHESS, 3),
        (PURE, "listed", _CHESS, 5),
        (COMPILED, "listed", _CONNECT_FOUR, 1),
        (COMPILED, "playouts", None, 10),
        (COMPILED, "moves", None, None),
    )
    rows_by_name = {}
    for build, figure, other, least in compared:
        name = f"{figure}, {build} / {other[1] if other else PURE}"
        yardsticks = [by_name[other or (PURE, game)][figure] for game in games]
        rows_by_name[name] = [
            Demand(name=game, measured=by_name[build, game][figure] / yardstick, least=least)
            for game, yardstick in zip(games, yardsticks, strict=True)
        ]
    for build in (PURE, COMPILED):
        for figure, most in _LEARNERS.items():
            rows_by_name[f"{figure} step, {build} / rules"] = [
                Demand(name=game, measured=by_name[build, game][figure], most=most)
                for game in games
            ]
    return rows_by_name


def opponents_python(folder: Path) -> Path:
    """Install the other packages in an environment of their own; return its Python."""
    python, stamp = folder / "bin/python", folder / "installed.txt"
    locked = (CHECKOUT / _LOCKED).read_text()
    if not stamp.exists() or stamp.read_text() != locked:
        _say(f"Installing what others have written into {folder} ...")
        venv.create(folder, clear=True, with_pip=False)
        install(CHECKOUT, folder, _LOCKED, say=_say)
        stamp.write_text(locked)
    return python


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")
