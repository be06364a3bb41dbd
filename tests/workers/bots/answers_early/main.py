"""Answers before it is asked, as often as it can."""

import sys

sys.stdin.readline()
print('{"type": "ready"}\n' + '{"action": "add dog b2"}\n' * 50, flush=True)
sys.stdin.read()
