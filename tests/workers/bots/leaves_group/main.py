"""Leaves the group of processes that the worker stops in the opponent's turn."""

import json
import os
import sys

sys.stdin.readline()
escapes = []
for name, leave in {"setsid": os.setsid, "setpgid": lambda: os.setpgid(0, 0)}.items():
    before = os.getpgid(0)
    try:
        leave()
    except OSError:
        continue
    if os.getpgid(0) != before:
        escapes.append(name)
print(json.dumps(escapes), flush=True)
sys.stdin.read()
