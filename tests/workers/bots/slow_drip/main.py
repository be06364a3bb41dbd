"""Answers a byte at a time, so that something is always on its way."""

import sys
import time

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
for letter in '{"action": "add dog b2"}' * 1000:
    sys.stdout.write(letter)
    sys.stdout.flush()
    time.sleep(0.02)
