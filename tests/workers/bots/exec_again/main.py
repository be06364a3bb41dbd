"""Becomes itself again and again: a new program must not have a new allowance."""

import os
import sys
import time

generation = int(os.environ.get("GENERATION", "0"))
if generation == 0:
    sys.stdin.readline()
until = time.process_time() + 0.2
while time.process_time() < until:
    pass
os.environ["GENERATION"] = str(generation + 1)
os.execv(sys.executable, [sys.executable, "-s", "-S", "-B", "-u", __file__])
