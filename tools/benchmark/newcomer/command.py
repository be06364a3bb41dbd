"""`bench newcomer`: the time that a newcomer's commands take, from install to rated match."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.management.base import CommandError
from rich.console import Console

from pentathlon.local.servers.ports import free_port
from tools.benchmark.newcomer.person import Newcomer, WalkFailed
from tools.benchmark.own_site import environment_apart, running_up
from tools.benchmark.progress import Say, show_progress

HELP: Final = "seconds of a newcomer's commands, from the install to the first rated match"

LONGEST_S: Final = 60.0
_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 18_950


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One command, and how long it took."""

    command: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """All commands of a newcomer, in order, and the match that they led to."""

    steps: list[Step]
    match: int

    @property
    def total_s(self) -> float:
        """The seconds that the commands took, without time to read or type between them."""
        return sum(step.seconds for step in self.steps)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--demo", action="store_true", help="measure while the site plays its demo"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Start a site, walk, print; fail when it took longer than it may."""
    with TemporaryDirectory(prefix="pentathlon-bench-") as name:
        try:
            walked = _walk_on_own_site(Path(name), with_demo=options["demo"])
        except (WalkFailed, TimeoutExpired) as error:
            raise CommandError(str(error)) from error
    if options["json"]:
        told = {**asdict(walked), "total_s": walked.total_s, "demanded_s": LONGEST_S}
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        sys.stdout.write(report(walked))
    if walked.total_s > LONGEST_S:
        raise CommandError(f"A newcomer waits longer than {LONGEST_S:g} s; see above.")


def walk(newcomer: Newcomer, show: Say) -> Walk:
    """Copy the first commands from the page of the kit, and time each."""
    matches: list[int] = []
    turns: dict[str, Callable[[str], object]] = {
        "pip install": newcomer.install,
        "pentathlon login": newcomer.log_in,
        "pentathlon init": newcomer.run,
        "pentathlon submit": lambda command: matches.append(newcomer.submit(command)["id"]),
    }
    printed, steps = newcomer.commands("/kit/"), []
    for verb, follow in turns.items():
        show(verb)
        command = next(line for line in printed if line.startswith(verb))
        began = time.monotonic()
        follow(command)
        steps.append(Step(command=command, seconds=time.monotonic() - began))
    return Walk(steps=steps, match=matches[0])


def report(walked: Walk) -> str:
    """Return the table: a line for each command, and the sum beside the demand."""
    lines = [
        f"{step.seconds:8.1f} s  {' '.join(step.command.split()[:2])}" for step in walked.steps
    ]
    verdict = "met" if walked.total_s <= LONGEST_S else "MISSED"
    whole = "from the install to the first rated match"
    lines.append(f"{walked.total_s:8.1f} s  {whole}; demanded: at most {LONGEST_S:g} s, {verdict}")
    return "\n".join(lines) + "\n"


def _walk_on_own_site(folder: Path, *, with_demo: bool) -> Walk:
    demo = [] if with_demo else ["--no-demo"]
    port = free_port(_HOST, _FIRST_PORT)
    with (
        show_progress(Console(stderr=True)) as show,
        running_up(
            *demo,
            port=port,
            output=folder / "up.out",
            environment=environment_apart(folder / "data"),
        ) as site,
    ):
        newcomer = Newcomer(site.address(), folder / "newcomer")
        newcomer.sign_up("newcomer")
        return walk(newcomer, show)
