"""Complains without end."""

import sys

sys.stdin.readline()
while True:
    sys.stderr.write("x" * 4096)
