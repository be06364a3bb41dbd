"""Forks twice and leaves its parents, to play on when the match is over."""

import os
import sys
import time

sys.stdin.readline()
try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    print('["a daemon"]', flush=True)
except OSError:
    print("[]", flush=True)
sys.stdin.read()
