"""The command behind `bench clock`: whether the clock is honest on a loaded host."""

from __future__ import annotations

import contextlib
import os
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, Final

import msgspec
from django.core.management.base import CommandError

from pentathlon_engines.tools.turn_cost import measure_turn_cost
from tools.benchmark.clock.hogs import hogs
from tools.benchmark.clock.trials import (
    HONEST_LIMITS,
    TRICK_LIMITS,
    Found,
    Trial,
    run_trials,
)
from tools.benchmark.report import MOST_TURN_OVER_RAW
from workers.sandbox.levels import open_sandbox

HELP: Final = "faults of honest bots on a loaded host, and what sleepers and spinners get"
_MIXTURES: Final = ("mix 0.9 0.1", "mix 0.9 1", "mix 0.95 5", "mix 0.8 2", "mix 0.5 1")
_MOST_GAIN: Final = 0.05
_TURN_RUNS: Final = 7


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--matches", type=int, default=200, help="matches of honest bots (200)")
    parser.add_argument("--tries", type=int, default=10, help="attempts per trick (10)")
    parser.add_argument("--load", type=int, default=8, help="hogs on each core (8)")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Print what was found; fail if a promise was broken."""
    ratio = _turn_over_raw()
    _say(f"turn / raw round trip: {ratio:.2f} (at most {MOST_TURN_OVER_RAW:g})")
    misses = [] if ratio <= MOST_TURN_OVER_RAW else ["turns are too dear"]
    with hogs(options["load"]):
        misses += _judge_honest("burn", options["matches"])
        misses += _judge_honest("threads", options["matches"] // 5)
        misses += _judge_tricks("spin", "cpu_time", options["tries"])
        misses += _judge_tricks("sleep", "wall_time", options["tries"])
        for mixture in _MIXTURES:
            misses += _judge_mixture(mixture, options["tries"])
    if misses:
        raise CommandError(f"Missed: {'; '.join(misses)}.")


def _judge_honest(how: str, matches: int) -> Iterator[str]:
    """Let bots that burn 80 % of their CPU time play each other."""
    found = list(run_trials([Trial(how, how, HONEST_LIMITS)] * matches))
    faults = Counter(each.fault for each in found if each.fault)
    longest_s = max(each.took_s for each in found)
    starved_s = sum(each.starved_s for each in found)
    share = starved_s / sum(each.took_s for each in found)
    _say(
        f"honest, {how}: {faults.total()} faults in {matches} matches {dict(faults) or ''}; "
        f"the longest took {longest_s:.1f} s; {share:.0%} of the time was waiting for the host"
    )
    if faults:
        yield f"{faults.total()} faults of honest bots"


def _judge_tricks(how: str, fault: str, tries: int) -> Iterator[str]:
    found = list(run_trials([Trial("rest", how, TRICK_LIMITS)] * tries))
    _say(f"{how}: {_faults(found)}, after {median(each.took_s for each in found):.1f} s")
    if any(each.fault != fault for each in found):
        yield f"{how} is not always {fault}"


def _judge_mixture(how: str, tries: int) -> Iterator[str]:
    """Compare the sleep and the CPU time of a bot that mixes both with what is allowed."""
    found = list(run_trials([Trial("rest", how, TRICK_LIMITS)] * tries))
    slept = mean(each.slept_s for each in found) / TRICK_LIMITS.action_wall_s
    cpu = mean(each.cpu_s for each in found) / TRICK_LIMITS.action_cpu_s
    _say(f"{how}: {_faults(found)}; slept {slept:.0%} and ran {cpu:.0%} of what is allowed")
    if max(slept, cpu) > 1 + _MOST_GAIN:
        yield f"{how} gains {max(slept, cpu) - 1:.0%}"
    if any(each.fault not in {"wall_time", "cpu_time"} for each in found):
        yield f"{how} escapes"


def _faults(found: Sequence[Found]) -> str:
    counted = Counter(each.fault or "none" for each in found)
    return ", ".join(f"{number} {kind}" for kind, number in sorted(counted.items()))


def _turn_over_raw() -> float:
    """Measure a turn before anything else runs, on one core."""
    cores = os.sched_getaffinity(0)
    # On two cores, the time to wake a sleeping core would be measured.
    os.sched_setaffinity(0, {max(cores)})
    launcher = open_sandbox()
    try:
        with contextlib.chdir(Path(__file__).with_name("bot")):
            return median(
                measure_turn_cost(
                    launcher, request={"type": "act"}, codec=msgspec.json.encode, turns=300
                ).ratio
                for _ in range(_TURN_RUNS)
            )
    finally:
        os.sched_setaffinity(0, cores)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
