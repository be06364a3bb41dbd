"""Makes a system call that no honest bot makes: setns."""

import ctypes
import sys

sys.stdin.readline()
ctypes.CDLL(None).setns(0, 0)
print('["setns"]', flush=True)
sys.stdin.read()
