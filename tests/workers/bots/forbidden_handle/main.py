"""Opens a file by its number, around all folders."""

import ctypes
import platform
import sys

CALL = {"x86_64": 304, "aarch64": 265}[platform.machine()]

sys.stdin.readline()
ctypes.CDLL(None).syscall(CALL, -100, None, 0)
print('["open_by_handle_at"]', flush=True)
sys.stdin.read()
