"""Answers with a line that has no end."""

import sys

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
while True:
    sys.stdout.write("x" * 65_536)
