"""Answers with bytes that are no text."""

import sys

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
sys.stdout.buffer.write(bytes(range(256)).replace(b"\n", b"") * 8 + b"\n")
sys.stdout.flush()
sys.stdin.read()
