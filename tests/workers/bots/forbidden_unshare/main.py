"""Makes a system call that no honest bot makes: unshare."""

import ctypes
import sys

sys.stdin.readline()
ctypes.CDLL(None).unshare(0x10000000)
print('["unshare"]', flush=True)
sys.stdin.read()
