"""Reads the memory of another process."""

import ctypes
import platform
import sys

CALL = {"x86_64": 310, "aarch64": 270}[platform.machine()]

sys.stdin.readline()
ctypes.CDLL(None).syscall(CALL, 1, None, 0, None, 0, 0)
print('["process_vm_readv"]', flush=True)
sys.stdin.read()
