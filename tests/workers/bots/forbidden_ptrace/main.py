"""Makes a system call that no honest bot makes: ptrace."""

import ctypes
import sys

sys.stdin.readline()
ctypes.CDLL(None).ptrace(0, 0, 0, 0)
print('["ptrace"]', flush=True)
sys.stdin.read()
