"""The contestants of the benchmark and their processes; all take turns, so noise is shared."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from pentathlon.env import CHECKOUT, child_environment

PURE, COMPILED = "pure", "compiled"
OPPONENTS: Final = (
    ("chess", "chess"),
    ("open_spiel", "connect_four"),
    ("open_spiel", "breakthrough"),
    ("open_spiel", "backgammon"),
)
"""Pairs of package and game."""

Figures = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedEntry:
    """One game as one build or package plays it."""

    build: str
    package: str
    game: str
    python: Path
    path: tuple[Path, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that can be measured here; the parts exist in our games only."""
        ours = self.build in (PURE, COMPILED)
        return ("driven", "inside", "parts", "learning") if ours else ("driven",)


def our_entries(games: Sequence[str], *, compiled: Path) -> list[SpeedEntry]:
    """Return the games, both builds side by side."""
    builds = ((PURE, CHECKOUT / "engines"), (COMPILED, compiled))
    return [
        SpeedEntry(
            build=build,
            package="pentathlon",
            game=game,
            python=Path(sys.executable),
            path=(folder, CHECKOUT),
        )
        for game in games
        for build, folder in builds
    ]


def opponents(python: Path) -> list[SpeedEntry]:
    """Return the games of other packages, which this Python has."""
    return [
        SpeedEntry(build=package, package=package, game=game, python=python, path=(CHECKOUT,))
        for package, game in OPPONENTS
    ]


def measure(
    entries: Sequence[SpeedEntry], *, rounds: int, slice_s: float, say: Callable[[str], None]
) -> list[tuple[SpeedEntry, Figures]]:
    """Return the median of each figure over the rounds."""
    sampled: list[dict[str, list[float]]] = [defaultdict(list) for _ in entries]
    with _processes(entries) as processes:
        for number in range(rounds):
            for entry, process, samples in zip(entries, processes, sampled, strict=True):
                say(f"Round {number + 1} of {rounds}: {entry.game}, {entry.build}")
                for task in entry.tasks:
                    for name, value in _ask(process, task, slice_s).items():
                        samples[name].append(value)
    medians = [{name: median(values) for name, values in samples.items()} for samples in sampled]
    return list(zip(entries, medians, strict=True))


@contextmanager
def _processes(entries: Sequence[SpeedEntry]) -> Iterator[list[subprocess.Popen[str]]]:
    processes = [_start(entry) for entry in entries]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def _start(entry: SpeedEntry) -> subprocess.Popen[str]:
    module = ("-m", "tools.benchmark.speed.contestant", entry.package, entry.game)
    return subprocess.Popen(
        [str(entry.python), *module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment(PYTHONPATH=os.pathsep.join(map(str, entry.path))),
        text=True,
    )


class ContestantFailed(Exception):
    """A measuring process ended early; its output is above."""

    code = "contestant_failed"


def _ask(process: subprocess.Popen[str], task: str, slice_s: float) -> Figures:
    if process.stdin is None or process.stdout is None:
        raise ContestantFailed("A process that measures has no pipes.")
    process.stdin.write(json.dumps([task, slice_s]) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    if not answer:
        raise ContestantFailed(f"{process.args!r} ended during {task!r}; see above.")
    figures: Figures = json.loads(answer)
    return figures
