"""Loads a program into the kernel."""

import ctypes
import platform
import sys

CALL = {"x86_64": 321, "aarch64": 280}[platform.machine()]

sys.stdin.readline()
ctypes.CDLL(None).syscall(CALL, 0, None, 0)
print('["bpf"]', flush=True)
sys.stdin.read()
