"""Fills its scratch folder with bytes."""

import json
import os
import sys
from pathlib import Path

sys.stdin.readline()
written = 0
try:
    for number in range(200):
        with Path(os.environ["TMPDIR"], f"{number}").open("wb", buffering=0) as file:
            for _ in range(16):
                written += file.write(b"x" * (1 << 20))
except OSError:
    pass
print(json.dumps(["scratch"] if written > (16 << 20) else []), flush=True)
sys.stdin.read()
