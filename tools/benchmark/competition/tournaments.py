"""`bench tournaments`: whether tournaments repeat to the byte, and what they cost."""

from __future__ import annotations

import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any, Final

from django.core.management.base import CommandError
from rich.console import Console

from pentathlon.env import CHECKOUT
from pentathlon.local.servers.runtime import runtime_folder
from tools.benchmark.competition.demands import Demand, show_demands
from tools.benchmark.competition.estimate_errors import error_of_estimate
from tools.benchmark.load.stage import offer_database, run_on
from tools.benchmark.progress import Say, show_progress
from tools.trials import trial_environment

HELP: Final = "whether tournaments repeat to the byte, and what batches, closes and tables cost"

_RUNS: Final = (
    ("0",),
    ("1",),
    ("0", "--backwards"),
    ("1", "--after-others"),
)
"""The hash seed and the options of each replay."""
_PACES: Final = 400
_SIZES: Final = {
    "batches": (20, 3),
    "pages": (39_800, 3_980),
    "close": (50_000, 2_000),
    "recompute": (1_000_000, 10_000),
    "ranking": (50_000, 2_000),
}
"""The size of each part, in full and for a short look."""
_PARTS: Final = ("replays", "time-left", *_SIZES)


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    offer_database(parser)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"of {', '.join(_PARTS)}; all if left out"
    )
    parser.add_argument("--quick", action="store_true", help="use small sizes")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure part by part, print each, and exit with 1 if a figure misses its demand."""
    unknown = set(options["parts"]) - set(_PARTS)
    if unknown:
        raise CommandError(f"{unknown.pop()!r} is not a part; the parts are {', '.join(_PARTS)}.")
    missed = []
    for part in options["parts"] or _PARTS:
        try:
            _measure(part, options)
        except CommandError as error:
            missed.append(f"{part}: {error}")
    if not options["json"]:
        sys.stdout.write(
            "How long publishing waits while 120,000 results are recomputed: `bench blocking`.\n"
        )
    if missed:
        raise CommandError("\n".join(missed))


def _measure(part: str, options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure one part; raise if it misses a demand."""
    if part in _SIZES:
        whole, short = _SIZES[part]
        size = short if options["quick"] else whole
        run_on(options, "tools.benchmark.competition.machinery", [part, str(size)])
        return
    with show_progress(Console(stderr=True)) as say:
        paces = _PACES // 10 if options["quick"] else _PACES
        found = _same_bytes(say) if part == "replays" else _remaining(paces, say)
        demands = list(found)
    if show_demands(part, demands, as_json=options["json"]):
        raise CommandError("The demands are not met; see above.")


def _same_bytes(say: Say) -> Iterator[Demand]:
    digests = []
    for hash_seed, *arguments in _RUNS:
        say(f"replays with hash seed {hash_seed} {' '.join(arguments)}")
        digests.append(replay_digest(hash_seed, *arguments))
    yield Demand(
        name="documents of six formats, replayed: different tables, pairings, seeds",
        measured=len(set(digests)) - 1,
        most=0,
        remark=f"{len(digests)} runs: two hash seeds, results backwards, after other events",
    )


def replay_digest(hash_seed: str, *arguments: str) -> str:
    """Replay in a process and a database of its own; return the digest that it prints."""
    with runtime_folder() as folder:
        ended = subprocess.run(
            [sys.executable, "-m", "tools.benchmark.competition.replay", *arguments],
            cwd=CHECKOUT,
            env=trial_environment(folder, PYTHONHASHSEED=hash_seed),
            capture_output=True,
            text=True,
            check=False,
        )
    if ended.returncode:
        raise CommandError(ended.stderr)
    return ended.stdout


def _remaining(paces: int, say: Say) -> Iterator[Demand]:
    say("estimates of the time left")
    for pause_s, when in ((0.0, "no pause"), (3600.0, "a pause of an hour")):
        errors = sorted(error_of_estimate(seed, pause_s=pause_s) for seed in range(paces))
        yield Demand(
            name=f"time left after a tenth, {when}: share of it by which 95 % err at most",
            measured=errors[int(0.95 * paces)],
            most=0.25,
            remark=f"{paces} simulated paces; the worst: {errors[-1]:.2f}",
        )
