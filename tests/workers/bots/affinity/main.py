"""Takes the other core, a better place in the queue, real time."""

import json
import os
import sys
from collections.abc import Callable

sys.stdin.readline()
before = os.sched_getaffinity(0)
escapes = []
ways: dict[str, Callable[[], object]] = {
    "affinity": lambda: os.sched_setaffinity(0, range(os.cpu_count() or 1)),
    "nice": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
    "real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
}
for name, seize in ways.items():
    try:
        seize()
        escapes.append(name)
    except OSError:
        continue
if os.sched_getaffinity(0) != before:
    escapes.append("another core")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
