"""Matches that try the clock: which faults bots get, and how much they gain by tricks."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from pentathlon_engines import GAMES
from pentathlon_engines.match.launcher import BotCommand, HostTooSlow, Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.runner import SeatBot, play_match
from workers.sandbox.levels import open_sandbox

HONEST_LIMITS: Final = Limits(action_cpu_s=0.05, action_wall_s=0.15, match_cpu_s=0.2)
TRICK_LIMITS: Final = Limits(action_cpu_s=0.5, action_wall_s=1.5)
_BOT: Final = Path(__file__).with_name("bot")


class Trial(NamedTuple):
    """One match; the bot of seat 1 is told how to spend its time."""

    first: str
    second: str
    limits: Limits


class Found(NamedTuple):
    """The result of a trial."""

    fault: str
    """The kinds of all faults, "" if there are none, or the code of a host that was too slow."""
    slept_s: float
    """The time that the bot says it slept, a lower bound."""
    cpu_s: float
    took_s: float
    starved_s: float


_opened: list[Launcher] = []
_places = get_context("fork").Value("i", 0)


def run_trials(trials: Sequence[Trial]) -> Iterator[Found]:
    """Play matches in the sandbox, one at a time on each core."""
    cores = sorted(os.sched_getaffinity(0))
    with ProcessPoolExecutor(
        len(cores), mp_context=get_context("fork"), initializer=_settle, initargs=(cores,)
    ) as pool:
        yield from pool.map(_try, trials)


def _settle(cores: Sequence[int]) -> None:
    with _places.get_lock():
        _places.value += 1
        os.sched_setaffinity(0, {cores[_places.value % len(cores)]})
    _opened.append(open_sandbox())


def _try(trial: Trial) -> Found:
    began = time.monotonic()
    try:
        report = play_match(
            game=GAMES["tuned"],
            options=None,
            seats=[_seat(trial.first), _seat(trial.second)],
            seed=next(_seeds),
            limits=trial.limits,
            launcher=_opened[0],
            codec=msgspec.json.encode,
        )
    except HostTooSlow:
        return Found(HostTooSlow.code, 0, 0, time.monotonic() - began, 0)
    faults = [fault["kind"] for fault in report.record["faults"]]
    slept_s, cpu_s = _last_words(report.logs[1])
    took_s = time.monotonic() - began
    return Found(" ".join(faults), slept_s, cpu_s, took_s, report.starved_s)


_seeds: Final = count(1)


def _seat(how: str) -> SeatBot:
    command = ["{python}", "-s", "-S", "-B", "{bot}/main.py", *how.split()]
    return SeatBot(name=how, hash="", command=BotCommand(folder=_BOT, argv=command))


def _last_words(log: bytes) -> Iterable[float]:
    lines = log.splitlines()
    return [float(word) for word in lines[-1].split()] if lines else [0.0, 0.0]
