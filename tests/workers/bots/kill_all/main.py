"""Kills whatever it can reach."""

import json
import os
import signal
import sys

order = json.loads(sys.stdin.readline())
for pid in (-1, order["pid"], order["worker"], -order["worker"]):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        continue
print("[]", flush=True)
sys.stdin.read()
