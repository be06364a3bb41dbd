"""Leaves the group of processes that the worker stops in the opponent's turn."""

import json
import os
import sys
from collections.abc import Callable

sys.stdin.readline()
escapes = []
ways: dict[str, Callable[[], object]] = {"setsid": os.setsid, "setpgid": lambda: os.setpgid(0, 0)}
for name, leave in ways.items():
    before = os.getpgid(0)
    try:
        leave()
    except OSError:
        continue
    if os.getpgid(0) != before:
        escapes.append(name)
print(json.dumps(escapes), flush=True)
sys.stdin.read()
