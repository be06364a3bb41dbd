"""The kernel's own limits for one bot process.

`prlimit` sets them as the bot's user before bubblewrap begins, which inherits them: a root
without CAP_SYS_RESOURCE may not set them for somebody else. The task limit counts per user
namespace, so the shell that waits inside sets it. Without `prlimit`, `confine.py` sets all of them
inside. Price: one more exec.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from pentathlon_engines.match.limits import Limits

MEBIBYTE = 1024 * 1024

Rlimits = Mapping[str, tuple[int, int]]
"""Resource name, as `prlimit` spells it, to its soft and hard limit."""

PRLIMIT = Path("/usr/bin/prlimit")


def rlimits(limits: Limits, *, reserved_mb: int = 0) -> Rlimits:
    """Return the limits of one process; the watchdog is stricter, these hold when it is late.

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
        "stack": (8 * MEBIBYTE, 64 * MEBIBYTE),
        **{name: (value, value) for name, value in highest.items()},
    }


def with_one_more_task(wanted: Rlimits) -> Rlimits:
    """Leave the counting of tasks to a control group, which notes what it refuses."""
    tasks, _ = wanted["nproc"]
    return {**wanted, "nproc": (tasks + 1, tasks + 1)}


def most_cpu_s(limits: Limits) -> float:
    """Return the CPU seconds of a bot's whole life: its start and all its actions."""
    return limits.match_cpu_s + limits.startup_wall_s


def prlimit_prefix(wanted: Rlimits) -> list[str] | None:
    """Return the program that sets limits and becomes the bot, or None if it is not installed."""
    if not PRLIMIT.exists():
        return None
    options = [f"--{name}={soft}:{hard}" for name, (soft, hard) in wanted.items()]
    return [str(PRLIMIT), *options, "--"]
