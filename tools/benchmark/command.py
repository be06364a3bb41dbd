"""The command behind `bench match`: private servers, one core, and a process that measures."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.env import CHECKOUT, IMPORT_PATH
from pentathlon.local.environment.compiled_build import CannotCompile, compiled_engines
from pentathlon.local.environment.installer import InstallFailed
from pentathlon.local.servers.runtime import runtime_folder
from pentathlon.local.servers.valkey import running_valkey
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.manifest import built_in_bots
from tools.benchmark.speed.command import opponents_python
from tools.trials import run_trial, trial_environment

HELP: Final = "CPU ms of a whole match and of its parts, through queue, sandbox, rows and replay"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)}; all")
    parser.add_argument("--matches", type=_positive, default=20, help="per game (20)")
    parser.add_argument(
        "--bot",
        choices=sorted(built_in_bots()),
        default="random",
        help="the bot that plays itself",
    )
    parser.add_argument(
        "--alone", action="store_true", help="without the packages from PyPI to compare with"
    )
    parser.add_argument(
        "--compiled",
        action="store_true",
        help="use compiled engines and build them first if necessary",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure on servers and a database of its own, everything on one core."""
    unknown = sorted(set(options["games"]) - set(GAMES))
    if unknown:
        raise CommandError(f"There is {unknown_game(unknown[0])}.")
    rivals = None if options["alone"] else _rivals_python()
    engines = [_compiled()] if options["compiled"] else []
    # On two cores, the time to wake a sleeping core would be measured.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with runtime_folder() as folder, running_valkey(folder) as redis_url:
        environment = trial_environment(
            folder,
            REDIS_URL=redis_url,
            PENTATHLON_LOG_LEVEL="WARNING",
            PENTATHLON_BOT_MATCHES="1000",  # one bot plays all of them
            PYTHONPATH=os.pathsep.join([*engines, IMPORT_PATH]),
        )
        arguments = _arguments(folder, options, rivals)
        is_measured = run_trial("tools.benchmark", *arguments, environment=environment)
    if not is_measured:
        raise CommandError("The measurement did not finish; see above.")


def _compiled() -> str:
    try:
        return str(compiled_engines())
    except CannotCompile as error:
        raise CommandError(str(error)) from error


def _rivals_python() -> Path:
    try:
        return opponents_python(CHECKOUT / ".venv-bench")
    except InstallFailed as error:
        raise CommandError(f"{error} `--alone` measures without them.") from error


def _arguments(
    folder: Path,
    options: dict[str, Any],  # Any: Django's own shape
    rivals: Path | None,
) -> list[str]:
    arguments = ["--folder", str(folder)]
    arguments += ["--matches", str(options["matches"]), "--bot", options["bot"]]
    arguments += ["--json"] if options["json"] else []
    arguments += ["--rivals", str(rivals)] if rivals else []
    return [*arguments, *options["games"]]


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)
