"""Begins an answer and never ends it."""

import sys

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
sys.stdout.write('{"action": "')
sys.stdout.flush()
sys.stdin.read()
