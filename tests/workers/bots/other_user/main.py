"""Becomes somebody else."""

import json
import os
import sys
from collections.abc import Callable

sys.stdin.readline()
own = (os.getresuid(), os.getresgid(), os.getgroups())
changes: tuple[Callable[[], object], ...] = (
    lambda: os.setuid(0),
    lambda: os.setresuid(0, 0, 0),
    lambda: os.setgid(0),
    lambda: os.setgroups([0]),
)
for change in changes:
    try:
        change()
    except OSError:
        continue
now = (os.getresuid(), os.getresgid(), os.getgroups())
print(json.dumps([] if now == own else [str(now)]), flush=True)
sys.stdin.read()
