"""Reads what only the host should know."""

import json
import os
import sys
from pathlib import Path

order = json.loads(sys.stdin.readline())
escapes = []
paths = [
    "/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/1/environ", "/proc/self/environ",
    "/proc/1/root/etc/passwd", "/proc/sys/kernel/core_pattern", "/sys/kernel/uevent_seqnum",
    "/dev/mem", "/dev/vda", "/dev/tty", order["marker"], "passwd", "../../../etc/passwd",
]  # fmt: skip
for path in paths:
    try:
        Path(path).read_bytes()
        escapes.append(path)
    except OSError:
        continue
for folder in ("/root", "/home", "/proc", "/sys", "/var", str(Path(order["marker"]).parent)):
    try:
        # A worker's own Python, which bots with packages run, stands where the host has it.
        if any(not Path(sys.base_prefix).is_relative_to(at) for at in Path(folder).iterdir()):
            escapes.append(folder)
    except OSError:
        continue
if order["secret"] in json.dumps(dict(os.environ)):
    escapes.append("environment")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
