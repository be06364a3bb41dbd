"""Answers with a number that takes a reader minutes."""

import sys

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
print('{"action": ' + "9" * 60_000 + "}", flush=True)
sys.stdin.read()
