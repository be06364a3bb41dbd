"""Takes memory and touches it."""

import sys

sys.stdin.readline()
held = []
while True:
    held.append(b"x" * (1 << 20))
