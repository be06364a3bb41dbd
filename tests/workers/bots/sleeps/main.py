"""Does nothing, forever."""

import sys
import time

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
while True:
    time.sleep(1)
