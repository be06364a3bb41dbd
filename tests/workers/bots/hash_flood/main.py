"""Answers with many keys that fall into one slot of a table that does not shuffle them."""

import sys

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
keys = ",".join(f'"{number * (2**61 - 1)}": 0' for number in range(2000))
print('{"action": 0, ' + keys + "}", flush=True)
sys.stdin.read()
