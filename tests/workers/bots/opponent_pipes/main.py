"""Looks for descriptors that are not its own: the opponent's pipes, the worker's database."""

import ctypes
import json
import os
import sys
from pathlib import Path

order = json.loads(sys.stdin.readline())
escapes = []
for descriptor in range(3, 1024):
    try:
        os.fstat(descriptor)
        escapes.append(f"descriptor {descriptor}")
    except OSError:
        continue
for pid in ("self", "1", str(order["worker"]), str(order["pid"])):
    try:
        escapes += [str(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        continue
if ctypes.CDLL(None).syscall(434, order["worker"], 0) >= 0:
    escapes.append("pidfd")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
