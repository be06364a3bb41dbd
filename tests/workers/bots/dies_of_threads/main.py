"""Starts threads when it should act, and gives up when one is refused."""

import sys
import threading
import time

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
# With small stacks, their number is refused and not their memory.
threading.stack_size(128 * 1024)
for _ in range(500):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
time.sleep(60)
