"""Starts as many threads as it can."""

import json
import sys
import threading
import time

sys.stdin.readline()
threads = []
try:
    for _ in range(500):
        threads.append(threading.Thread(target=time.sleep, args=(60,), daemon=True))
        threads[-1].start()
except RuntimeError:
    threads.pop()
print(json.dumps(["threads"] if len(threads) > 16 else []), flush=True)
sys.stdin.read()
