"""Takes memory that is not counted as data."""

import mmap
import sys

sys.stdin.readline()
held = []
while True:
    held.append(mmap.mmap(-1, 1 << 20))
    held[-1].write(b"x" * (1 << 20))
