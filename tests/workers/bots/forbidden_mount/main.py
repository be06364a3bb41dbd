"""Makes a system call that no honest bot makes: mount."""

import ctypes
import sys

sys.stdin.readline()
ctypes.CDLL(None).mount(b"none", b"/tmp", b"tmpfs", 0, None)
print('["mount"]', flush=True)
sys.stdin.read()
