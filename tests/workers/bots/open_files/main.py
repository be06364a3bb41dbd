"""Looks for descriptors that it should not have, and opens as many as it can."""

import json
import os
import sys

sys.stdin.readline()
escapes = []
for descriptor in range(3, 256):
    try:
        os.fstat(descriptor)
        escapes.append(f"descriptor {descriptor}")
    except OSError:
        continue
opened: list[int] = []
try:
    while len(opened) < 1000:
        opened += os.pipe()
except OSError:
    pass
if len(opened) > 64:
    escapes.append("too many files")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
