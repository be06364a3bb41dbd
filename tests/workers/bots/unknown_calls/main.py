"""Tries every number that the kernel may have a call for one day."""

import ctypes
import json
import sys

libc = ctypes.CDLL(None)
sys.stdin.readline()
escapes = [number for number in range(470, 2048) if libc.syscall(number, 0, 0, 0, 0, 0, 0) >= 0]
print(json.dumps(escapes), flush=True)
sys.stdin.read()
