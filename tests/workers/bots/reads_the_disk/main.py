"""Waits for the disk of its host whenever it likes: past the page cache, it is there at once."""

import json
import os
import sys
from pathlib import Path

sys.stdin.readline()
escapes = []
for flag in ("O_DIRECT", "O_SYNC", "O_DSYNC"):
    path, mode = (sys.executable, os.O_RDONLY)
    if flag != "O_DIRECT":
        path, mode = str(Path(os.environ["TMPDIR"], "file")), os.O_CREAT | os.O_WRONLY
    try:
        os.close(os.open(path, mode | getattr(os, flag)))
    except OSError:
        continue
    escapes.append(flag)
print(json.dumps(escapes), flush=True)
sys.stdin.read()
