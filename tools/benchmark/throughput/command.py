"""The command behind `bench throughput`: matches a second of a whole `up`, and what they cost."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.local.servers.processes import free_port
from tools.benchmark.own_site import environment_apart, running_up
from tools.trials import run_trial

HELP: Final = "matches a second of a whole `up` with one and two slots, and CPU ms of its parts"

LEAST_GAIN: Final = 1.5
"""Two slots play at least so many times as much as one, on two free cores."""
LEAST_AFTER_HOGS: Final = 0.9
"""The same beside one slot, for two slots after others have starved the host."""
_HOST: Final = "127.0.0.1"
_FIRST_PORT: Final = 18_960


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--cycles", type=int, default=20, help="of 30 matches each (20)")
    parser.add_argument("--hog-s", type=float, default=20.0, help="how long others burn (20)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Play the same tournament on three sites, one after the other; fail if two slots are slow."""
    cases = {"1 slot": (1, 0.0), "2 slots": (2, 0.0), "2 slots, after hogs": (2, options["hog_s"])}
    found = {
        case: _measure(slots, {"hog_s": hog_s, "cycles": options["cycles"]})
        for case, (slots, hog_s) in cases.items()
    }
    sys.stdout.write(json.dumps(found, indent=2) + "\n" if options["json"] else report(found))
    judge(found)


def report(found: dict[str, dict[str, float]]) -> str:
    """Return the table: a line for each case."""
    lines = []
    for case, figures in found.items():
        parts = ", ".join(f"{part} {cost:.1f}" for part, cost in figures.items() if part != "rate")
        lines.append(f"{case:20} {figures['rate']:6.1f} matches/s; CPU ms a match: {parts}")
    return "\n".join(lines) + "\n"


def judge(found: dict[str, dict[str, float]]) -> None:
    """Fail if two slots play too little beside one."""
    one, two, after = (figures["rate"] for figures in found.values())
    if two < LEAST_GAIN * one or after < LEAST_AFTER_HOGS * one:
        raise CommandError(
            f"Demanded of two slots: {LEAST_GAIN:g} times the rate of one, and "
            f"{LEAST_AFTER_HOGS:g} times after hogs. Other work on the machine counts against it."
        )


def _measure(slots: int, asked: dict[str, float]) -> dict[str, float]:
    with TemporaryDirectory(prefix="pentathlon-bench-") as name:
        folder = Path(name)
        environment = environment_apart(folder / "data", PENTATHLON_LADDERS="0")
        port = free_port(_HOST, _FIRST_PORT)
        options = ("--no-demo", "--workers", str(slots))
        with running_up(
            *options, port=port, output=folder / "up.out", environment=environment
        ) as site:
            site.address()
            told = {**asked, "pid": site.process.pid, "result": str(folder / "result")}
            environment["DJANGO_SETTINGS_MODULE"] = "pentathlon.settings"
            if not run_trial(
                "tools.benchmark.throughput.trial", json.dumps(told), environment=environment
            ):
                raise CommandError(f"The measurement broke off. {site.said()[-1000:]}")
        found: dict[str, float] = json.loads((folder / "result").read_text())
    return found
