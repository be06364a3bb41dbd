"""Tries to go on when the worker is gone: no signal, no end of input moves it."""

import ctypes
import signal
import sys
import time

ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        continue
sys.stdin.readline()
print("[]", flush=True)
while True:
    time.sleep(1)
