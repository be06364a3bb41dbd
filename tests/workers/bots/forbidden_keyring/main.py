"""Talks to the kernel's key rings, which all processes of a user share."""

import ctypes
import platform
import sys

CALL = {"x86_64": 250, "aarch64": 219}[platform.machine()]

sys.stdin.readline()
ctypes.CDLL(None).syscall(CALL, 0, -3, 0, 0, 0)
print('["keyctl"]', flush=True)
sys.stdin.read()
