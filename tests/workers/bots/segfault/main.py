"""Reads where nothing is."""

import ctypes
import sys

sys.stdin.readline()
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
ctypes.string_at(8)
