"""Loads a driver."""

import ctypes
import platform
import sys

CALL = {"x86_64": 175, "aarch64": 105}[platform.machine()]

sys.stdin.readline()
ctypes.CDLL(None).syscall(CALL, None, 0, b"")
print('["init_module"]', flush=True)
sys.stdin.read()
