"""Counts the threads and the free memory of the host, which tell of a paused opponent."""

import ctypes
import json
import os
import sys

SYSINFO = {"x86_64": 99, "aarch64": 179}[os.uname().machine]
SIZE = 112

libc = ctypes.CDLL(None, use_errno=True)
sys.stdin.readline()
told = ctypes.create_string_buffer(SIZE)
escapes = [
    name
    for name, asked in (
        ("by number", libc.syscall(SYSINFO, told)),
        ("by name", libc.sysinfo(told)),
    )
    if asked == 0 or any(told.raw)
]
if os.sysconf("SC_AVPHYS_PAGES") != os.sysconf("SC_AVPHYS_PAGES"):
    escapes.append("free pages")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
