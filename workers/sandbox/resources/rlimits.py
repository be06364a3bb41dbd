"""The kernel's own limits for one bot process.

The worker sets them on the waiting bot, whose task limit counts in its own user namespace. A root
without CAP_SYS_RESOURCE may do that, because it takes the bot's real uid for it. In the second
level, `confine.py` sets them.
"""

from __future__ import annotations

import math
import resource
from collections.abc import Mapping

from pentathlon_engines.match.launcher import LaunchFailed
from pentathlon_engines.match.limits import Limits
from workers.sandbox.uids import real_user

MEBIBYTE = 1024 * 1024
STACK = (8 * MEBIBYTE, 64 * MEBIBYTE)
"""Soft and hard limit; the waiting bot sets them, too: exec restores what it found at its start.
"""

Rlimits = Mapping[str, tuple[int, int]]
"""The soft and hard limit of each resource, by its name in `prlimit(1)`."""


def rlimits(limits: Limits, *, reserved_mb: int = 0) -> Rlimits:
    """Return the limits of one process; the watchdog is stricter, but these hold if it is late.

    A run-time system reserves `reserved_mb` without using it, besides four times the memory of its
    bot. With such a reserve the address space says little, so writable data is limited too.
    """
    memory = limits.memory_mb * MEBIBYTE
    cpu_s = math.ceil(most_cpu_s(limits)) + 1
    space = {"as": 4 * memory + reserved_mb * MEBIBYTE}
    if reserved_mb:
        space["data"] = 2 * memory
    highest = space | {
        "fsize": limits.scratch_mb * MEBIBYTE,
        "nofile": limits.open_files,
        "nproc": limits.tasks,
        "core": 0,
        "memlock": 0,
        "msgqueue": 0,
        "sigpending": 64,
        "nice": 0,
        "rtprio": 0,
    }
    return {
        "cpu": (cpu_s, cpu_s + 1),
        "stack": STACK,
        **{name: (value, value) for name, value in highest.items()},
    }


def with_one_more_task(wanted: Rlimits) -> Rlimits:
    """Raise the limit of tasks by one, so that the control group refuses first, and counts it."""
    tasks, _ = wanted["nproc"]
    return {**wanted, "nproc": (tasks + 1, tasks + 1)}


def most_cpu_s(limits: Limits) -> float:
    """Return the CPU seconds of a bot's whole life: its start and all its actions."""
    return limits.match_cpu_s + limits.startup_wall_s


def set_rlimits(pid: int, wanted: Rlimits, *, uid: int) -> None:
    """Limit a waiting process of `uid`; raise `LaunchFailed` if the worker's limits are lower."""
    with real_user(uid):
        for name, limit in wanted.items():
            try:
                resource.prlimit(pid, number_of(name), limit)
            except (OSError, ValueError) as error:
                reason = f"rlimit {name} could not be set to {limit}: {error}"
                raise LaunchFailed(reason) from error


def number_of(name: str) -> int:
    """Return the kernel's number of a limit."""
    number: int = getattr(resource, f"RLIMIT_{name.upper()}")
    return number
