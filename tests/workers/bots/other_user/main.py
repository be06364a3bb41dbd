"""Becomes somebody else."""

import json
import os
import sys

sys.stdin.readline()
own = (os.getresuid(), os.getresgid(), os.getgroups())
for change in (
    lambda: os.setuid(0),
    lambda: os.setresuid(0, 0, 0),
    lambda: os.setgid(0),
    lambda: os.setgroups([0]),
):
    try:
        change()
    except OSError:
        continue
now = (os.getresuid(), os.getresgid(), os.getgroups())
print(json.dumps([] if now == own else [str(now)]), flush=True)
sys.stdin.read()
