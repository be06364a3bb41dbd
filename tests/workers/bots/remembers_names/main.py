"""Looks for folders on a disk: there the kernel remembers which names the last match looked up."""

import json
import os
import stat
import sys

sys.stdin.readline()
found = []
for place in ("/", "/usr", "/lib", "/opt", "/etc/alternatives", "/dev", "."):
    for top, folders, _ in os.walk(place):
        status = os.stat(top)  # noqa: PTH116  # of some thousand folders
        os.access(f"{top}/absent-in-this-match", os.F_OK)
        # A folder in memory has no blocks.
        if stat.S_ISDIR(status.st_mode) and status.st_blocks:
            found.append(top)
            folders.clear()
print(json.dumps(found), flush=True)
sys.stdin.read()
