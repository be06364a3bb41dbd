"""Lets the kernel do by a ring what the filter would not let through."""

import ctypes
import json
import sys

libc = ctypes.CDLL(None)
sys.stdin.readline()
parameters = ctypes.create_string_buffer(256)
escapes = [] if libc.syscall(425, 8, parameters) < 0 else ["io_uring"]
print(json.dumps(escapes), flush=True)
sys.stdin.read()
