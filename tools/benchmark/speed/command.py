"""The command behind `bench engines`."""

from __future__ import annotations

import json
import sys
import venv
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from rich.console import Console

from pentathlon.env import CHECKOUT
from pentathlon.local.environment.compiled_build import CannotCompile, compiled_engines
from pentathlon.local.environment.installer import InstallFailed, install
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game
from tools.benchmark.progress import show_progress
from tools.benchmark.speed.field import ContestantFailed, measure, opponents, our_entries
from tools.benchmark.speed.report import rates_table, ratios_table, report

HELP: Final = (
    "moves and playouts per second, pure and compiled, beside python-chess and open_spiel"
)
_WIDTH: Final = 110
_LOCKED: Final = "requirements/bench.txt"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)}; all")
    parser.add_argument("--rounds", type=int, default=7, help="runs per median (7)")
    parser.add_argument("--slice", type=float, default=0.3, help="CPU seconds per figure (0.3)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Compile, install the opponents, measure all in turns, print."""
    unknown = sorted(set(options["games"]) - set(GAMES))
    if unknown:
        raise CommandError(f"There is {unknown_game(unknown[0])}.")
    console = Console(stderr=True)
    try:
        entries = our_entries(options["games"] or list(GAMES), compiled=compiled_engines())
        entries += opponents(opponents_python(CHECKOUT / ".venv-bench"))
        with show_progress(console) as show:
            rows = measure(entries, rounds=options["rounds"], slice_s=options["slice"], say=show)
    except (CannotCompile, ContestantFailed, InstallFailed) as error:
        raise CommandError(str(error)) from error
    if options["json"]:
        sys.stdout.write(json.dumps(report(rows), indent=2) + "\n")
        return
    tables = Console(width=max(_WIDTH, Console().width))
    for table in (rates_table(rows), ratios_table(rows)):
        tables.print(table)


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
