"""Burns processor time in threads that sleep in Python's eyes."""

import hashlib
import sys
import threading

sys.stdin.readline()
block = b"x" * (1 << 20)


def burn() -> None:
    """Hash without end; hashing lets other threads run."""
    while True:
        hashlib.sha256(block).digest()


for _ in range(4):
    threading.Thread(target=burn).start()
