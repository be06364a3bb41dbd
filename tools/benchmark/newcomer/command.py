"""`bench newcomer`: how long a first `up` takes, and then a newcomer's own commands, step by step.

The first `up` runs in a fresh clone of the last commit, without an environment, a database or
compiled engines; what was downloaded before may be used. It ends with the first rated match of the
demo. Then somebody follows `/kit/` on that site: install, login, `init`, `submit --wait`.
"""

import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.management.base import CommandError
from rich.console import Console

from pentathlon.env import CHECKOUT
from pentathlon.local.servers.processes import free_port
from tools.benchmark.demands import Demand, show_demands
from tools.benchmark.newcomer.person import Newcomer, WalkFailed
from tools.benchmark.own_site import environment_apart, running_up
from tools.benchmark.progress import Say, show_progress

HELP: Final = "seconds until a first `up` shows a rated match, and of a newcomer's commands"

MOST_UP_S: Final = 20.0
MOST_WALK_S: Final = 60.0
_STARTS: Final = {
    "pentathlon --help": 15.0,
    "pentathlon submit --help": 15.0,
    "pentathlon play --help": None,
}
"""How many starts of Python a start may cost; `play` plays matches as well, and typer is 10."""
_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 18_950
_MARKS: Final = {
    "install": r"Installed in",
    "database and pages": r"Preparing the database and pages: ",
    "start of the servers": r"Pentathlon is at ",
}
"""The steps of `up`, and what it says at the end of each."""
_LOOK_S: Final = 0.1


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    what = "`up` alone, without the newcomer's own commands"
    parser.add_argument("--up-only", action="store_true", help=what)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Clone, start, walk, print; fail when one of them took longer than it may."""
    try:
        with (
            TemporaryDirectory(prefix="pentathlon-bench-") as name,
            show_progress(Console(stderr=True)) as say,
        ):
            steps = list(_steps(Path(name), say, up_only=options["up_only"]))
    except (WalkFailed, subprocess.SubprocessError) as error:
        raise CommandError(str(error)) from error
    sys.exit(show_demands("Seconds of a newcomer", steps, as_json=options["json"]))


def _steps(folder: Path, say: Say, *, up_only: bool) -> Iterator[Demand]:
    clone = folder / "clone"
    command = ["git", "clone", "--quiet", str(CHECKOUT), str(clone)]
    subprocess.run(command, check=True)
    environment = environment_apart(folder / "data")
    environment.pop("PYTHONPATH")  # the clone has its own modules
    ends = [time.monotonic()]
    with running_up(
        port=free_port(_HOST, _FIRST_PORT),
        output=folder / "up.out",
        environment=environment,
        program=(clone / "manage.py",),
    ) as site:
        for step, mark in _MARKS.items():
            say(step)
            site.wait_for(mark)
            yield _step(step, ends)
        say("demo")
        newcomer = Newcomer(site.address(), folder / "newcomer")
        while not any(match["rated"] for match in newcomer.api("matches/?state=done")["results"]):
            time.sleep(_LOOK_S)
        yield _step("demo, to its first rated match", ends)
        yield Demand(name="first `up`, in all", measured=ends[-1] - ends[0], most=MOST_UP_S)
        if not up_only:
            newcomer.sign_up("newcomer")
            yield from walk(newcomer, say)
            say("starts of the command")
            yield from starts(newcomer)


def walk(newcomer: Newcomer, say: Say) -> Iterator[Demand]:
    """Copy the first commands from the page of the kit; yield the seconds of each, and of all."""
    turns: dict[str, Callable[[str], object]] = {
        "pip install": newcomer.install,
        "pentathlon login": newcomer.log_in,
        "pentathlon init": newcomer.run,
        "pentathlon submit": newcomer.submit,
    }
    printed, ends = newcomer.commands("/kit/"), [time.monotonic()]
    for verb, follow in turns.items():
        say(verb)
        follow(next(line for line in printed if line.startswith(verb)))
        yield _step(verb, ends)
    yield Demand(
        name="newcomer, from the install to a rated match",
        measured=ends[-1] - ends[0],
        most=MOST_WALK_S,
    )


def starts(newcomer: Newcomer) -> Iterator[Demand]:
    """Yield the CPU time that commands take to start, as a multiple of Python's own."""
    plain_s = newcomer.cost_s("python -c pass")
    for command, most in _STARTS.items():
        yield Demand(
            name=f"CPU of `{command}`, in starts of Python",
            measured=newcomer.cost_s(command) / plain_s,
            most=most,
        )


def _step(name: str, ends: list[float]) -> Demand:
    """Return the seconds since the end of the step before."""
    ends.append(time.monotonic())
    return Demand(name=name, measured=ends[-1] - ends[-2])
