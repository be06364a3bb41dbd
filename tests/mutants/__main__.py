"""How many small faults do the tests find? `manage.py test mutants` draws a sample and says.

A mutant that survives is looked at: it gets a test, or a reason in `argued.txt` why it changes
nothing that anybody is promised.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from pentathlon.env import CHECKOUT
from pentathlon_engines.strength.best import wilson
from tests.mutants.mutations import list_mutations

_HERE: Final = Path(__file__).parent
_README: Final = CHECKOUT / "tests/README.md"
_BEGIN: Final = "Mutants: "
_LONGEST_S: Final = 900
"""For all tests of an area, once."""
_AT_ONCE: Final = 2
_ENOUGH: Final = 0.95


class Area(NamedTuple):
    """Sources, and the tests that are meant to guard them."""

    name: str
    sources: Sequence[str]
    """Files, or folders whose files count, below the checkout."""
    tests: Sequence[str]
    drops: str = ""
    """The method whose calls are dropped; such an area is tried only when it is named."""


AREAS: Final = (
    Area("strength", ["engines/pentathlon_engines/strength"], ["tests/engines/strength"]),
    Area("tournament", ["engines/pentathlon_engines/tournament"], ["tests/engines/tournament"]),
    Area("record", ["engines/pentathlon_engines/record"], ["tests/engines/record"]),
    Area("slots", ["workers/slots"], ["tests/workers/slots"]),
    Area("ratings", ["platform/pentathlon/ratings"], ["tests/pentathlon/ratings"]),
    Area(
        "permissions",
        [
            "platform/pentathlon/accounts/roles.py",
            "platform/pentathlon/bots/doors.py",
            "platform/pentathlon/tournaments/guards.py",
            "platform/pentathlon/tournaments/entries/eligibility.py",
            "platform/pentathlon/tournaments/teams/services.py",
        ],
        [
            "tests/api/rights",
            "tests/pentathlon/accounts",
            "tests/pentathlon/bots",
            "tests/pentathlon/tournaments",
        ],
    ),
    Area("locks", ["platform/pentathlon"], ["tests/pentathlon"], drops="select_for_update"),
)


def main() -> int:
    """Draw a sample, try it, and say which mutants survive; return 0 if enough of them die."""
    asked = _parser().parse_args()
    areas = [area for area in AREAS if asked.area == area.name or not (asked.area or area.drops)]
    sites = [
        (area, path, nth)
        for area in areas
        for path in _files(area)
        for nth, mutation in enumerate(list_mutations(CHECKOUT, path))
        if area.drops in mutation.before and (not area.drops or area.drops not in mutation.after)
    ]
    drawn = random.Random(asked.seed).sample(sites, min(asked.mutants, len(sites)))
    _say(f"{len(drawn)} of {len(sites):,} mutants, seed {asked.seed}.")
    results = _try_all(drawn)
    argued = _argued()
    alive = [row for row in results if row["result"] not in ("killed", "hung")]
    for row in sorted(alive, key=lambda row: str(row["name"])):
        mark = "argued" if row["name"] in argued else row["result"]
        _say(f"{mark}: {row['name']} (line {row['line']})")
    good = sum(row["name"] in argued or row not in alive for row in results)
    told = _in_words(good, len(results), seed=asked.seed)
    _say(told)
    if not asked.area and len(drawn) < len(sites):
        _write_down(told)
    return int(not results or good < _ENOUGH * len(results))


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="manage.py test mutants --", description=__doc__)
    parser.add_argument("--mutants", type=int, default=300, help="how many are drawn (300)")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws others (1)")
    parser.add_argument("--area", default="", choices=[area.name for area in AREAS])
    return parser


def _files(area: Area) -> list[str]:
    paths = [CHECKOUT / source for source in area.sources]
    files = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    names = [file.relative_to(CHECKOUT) for file in sorted(files)]
    return [str(name) for name in names if "migrations" not in name.parts]


def _try_all(drawn: Sequence[tuple[Area, str, int]]) -> list[dict[str, object]]:
    """Try the mutants of each area in a session of pytest of its own, two at a time."""
    results: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        waiting = [
            (area, [(path, nth) for of, path, nth in drawn if of is area])
            for area in AREAS
            if any(of is area for of, _, _ in drawn)
        ]
        running: list[tuple[Area, Path, subprocess.Popen[bytes]]] = []
        while waiting or running:
            while waiting and len(running) < _AT_ONCE:
                area, sampled = waiting.pop()
                file = Path(folder, f"{area.name}.json")
                file.write_text(json.dumps({"sampled": sampled, "longest_s": _LONGEST_S}))
                running.append((area, file, _start(area, file)))
            for area, file, process in list(running):
                if process.poll() is None:
                    continue
                running.remove((area, file, process))
                made = file.with_suffix(".results")
                rows = json.loads(made.read_text()) if made.exists() else []
                results += rows
                counts = Counter(row["result"] for row in rows)
                _say(f"{area.name}: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
                if process.returncode:
                    raise SystemExit(f"{area.name}: {Path(file).with_suffix('.log').read_text()}")
            time.sleep(0.2)
    return results


def _start(area: Area, file: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.session"]
    command += ["-p", "no:randomly", *area.tests]
    with file.with_suffix(".log").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=CHECKOUT,
            env={**os.environ, "MUTANTS": str(file)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def _argued() -> set[str]:
    """Return the mutants of which `argued.txt` says why they change nothing."""
    lines = (_HERE / "argued.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith(("#", " "))}


def _in_words(good: int, tried: int, *, seed: int) -> str:
    low, high = wilson(good, tried)
    found = f"{good} of {tried} ({good / tried:.0%}, 95 % interval {low:.0%} to {high:.0%})"
    return f"{_BEGIN}{found} are found or argued, seed {seed}."


def _write_down(told: str) -> None:
    lines = _README.read_text().splitlines()
    _README.write_text("\n".join(told if x.startswith(_BEGIN) else x for x in lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
