"""Thinks in the background, all the time."""

import sys
import threading


def ponder() -> None:
    """Count without end."""
    count = 0
    while True:
        count += 1


sys.stdin.readline()
threading.Thread(target=ponder, daemon=True).start()
print("[]", flush=True)
sys.stdin.read()
