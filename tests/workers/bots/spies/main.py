"""Asks about the processes around it: who is there, and how much they think."""

import ctypes
import json
import os
import sys
import time
from collections.abc import Callable

libc = ctypes.CDLL(None, use_errno=True)
order = json.loads(sys.stdin.readline())
OTHERS = {"worker": order["worker"], "bystander": order["pid"], "first": 1, "parent": os.getppid()}
ABSENT = 4_000_000
CAPABILITIES = 0x20080522


def clock(pid: int) -> int:
    """Return the id of the CPU clock of a process."""
    return ~pid << 3 | 2


def capabilities(pid: int) -> None:
    """Ask what a process may do."""
    header = (ctypes.c_uint32 * 2)(CAPABILITIES, pid)
    if libc.capget(header, (ctypes.c_uint32 * 6)()) < 0:
        raise OSError(ctypes.get_errno(), "refused")


QUESTIONS: dict[str, Callable[[int], object]] = {
    "clock": lambda pid: time.clock_gettime(clock(pid)),
    "resolution": lambda pid: time.clock_getres(clock(pid)),
    "group": os.getpgid,
    "session": os.getsid,
    "signal": lambda pid: os.kill(pid, 0),
    "affinity": os.sched_getaffinity,
    "scheduler": os.sched_getscheduler,
    "priority": lambda pid: os.getpriority(os.PRIO_PROCESS, pid),
    "capabilities": capabilities,
}


def answer(question: Callable[[int], object], pid: int) -> object:
    """Return what a question is answered with: nothing, or the number of the error."""
    try:
        question(pid)
    except OSError as error:
        return error.errno
    return None


# In a namespace of its own the bot is number one, and there is nobody else.
escapes = [
    f"{name} of {who}"
    for name, question in QUESTIONS.items()
    for who, pid in OTHERS.items()
    if pid not in (0, os.getpid()) and answer(question, pid) != answer(question, ABSENT)
]
escapes += [name for name in ("clock", "group", "signal") if answer(QUESTIONS[name], os.getpid())]
print(json.dumps(escapes), flush=True)
sys.stdin.read()
