"""Ignores every signal that can be ignored, and never answers."""

import signal
import sys
import time

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:
        continue
sys.stdin.readline()
print("[]", flush=True)
while True:
    time.sleep(1)
