"""Tries to get more than it was given."""

import ctypes
import json
import os
import resource
import signal
import sys
from collections.abc import Callable

order = json.loads(sys.stdin.readline())
libc = ctypes.CDLL(None)
escapes = []
for name in ("AS", "CPU", "FSIZE", "NOFILE", "NPROC", "CORE", "MEMLOCK"):
    number = getattr(resource, f"RLIMIT_{name}")
    try:
        hard = resource.getrlimit(number)[1]
        if hard == resource.RLIM_INFINITY:
            continue
        resource.setrlimit(number, (hard + 1, hard + 1))
        escapes.append(name)
    except (OSError, ValueError):
        continue
actions: dict[str, Callable[[], object]] = {
    "affinity": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
    "session": os.setsid,
    "group": lambda: os.setpgid(0, 0),
    "root": lambda: os.setuid(0),
    "other limits": lambda: resource.prlimit(order["pid"], resource.RLIMIT_CPU, (1, 1)),
    "scheduler": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
}
for action_name, action in actions.items():
    try:
        action()
        escapes.append(action_name)
    except OSError:
        continue
if libc.prctl(1, signal.SIGTERM, 0, 0, 0) == 0:
    escapes.append("parent death signal")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
