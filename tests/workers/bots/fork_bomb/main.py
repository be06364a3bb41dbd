"""Multiplies, by every call that makes a process."""

import ctypes
import json
import os
import sys

sys.stdin.readline()
libc = ctypes.CDLL(None)
escapes = []
for _ in range(100):
    try:
        if os.fork() == 0:
            os._exit(0)
        escapes.append("fork")
    except OSError:
        continue
if libc.system(b"true") == 0:
    escapes.append("system")
if libc.syscall(435, None, 0) >= 0:
    escapes.append("clone3")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
