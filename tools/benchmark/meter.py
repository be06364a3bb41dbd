"""CPU time and memory of this process with its ended bots, and of servers beside it."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Iterable
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_CPU_FIELDS = slice(11, 15)
"""utime, stime and the same of children waited for; counted after the program's name."""


def own_cpu_s() -> float:
    """Return the CPU seconds of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def cpu_s_of(pids: Iterable[int]) -> float:
    """Return the CPU seconds of processes and their ended children, to a clock tick each."""
    return sum(_ticks(pid) for pid in pids) * _TICK_S


def private_mib(pid: int) -> float:
    """Return the memory of a process alone, in MiB, without pages of the database file."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


def cost_s(action: Callable[[], object]) -> float:
    """Return the CPU seconds of this process and its bots that an action takes."""
    before = own_cpu_s()
    action()
    return own_cpu_s() - before


def _ticks(pid: int) -> int:
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[_CPU_FIELDS]))
