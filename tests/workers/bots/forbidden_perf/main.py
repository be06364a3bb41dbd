"""Counts what other processes do."""

import ctypes
import platform
import sys

CALL = {"x86_64": 298, "aarch64": 241}[platform.machine()]

sys.stdin.readline()
ctypes.CDLL(None).syscall(CALL, None, 0, -1, -1, 0)
print('["perf_event_open"]', flush=True)
sys.stdin.read()
