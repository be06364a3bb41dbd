"""Fills the kernel's queues: signals that nobody takes, timers that never end."""

import ctypes
import json
import os
import signal
import sys

libc = ctypes.CDLL(None)
sys.stdin.readline()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGRTMIN})
queued = 0
while queued < 10_000 and libc.sigqueue(os.getpid(), int(signal.SIGRTMIN), None) == 0:
    queued += 1
timers = 0
timer = ctypes.c_void_p()
while timers < 10_000 and libc.timer_create(1, None, ctypes.byref(timer)) == 0:
    timers += 1
print(json.dumps([] if queued + timers < 10_000 else [queued, timers]), flush=True)
sys.stdin.read()
