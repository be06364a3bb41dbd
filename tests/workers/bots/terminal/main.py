"""Types into the terminal of whoever started the worker."""

import fcntl
import json
import os
import sys

TIOCSTI, TIOCLINUX, TIOCSCTTY = 0x5412, 0x541C, 0x540E
sys.stdin.readline()
escapes = []
for path in ("/dev/tty", "/dev/ptmx", "/dev/console", "/dev/pts/0"):
    try:
        escapes.append(f"{path}: {os.open(path, os.O_RDWR)}")
    except OSError:
        continue
for descriptor in (0, 1, 2):
    for request in (TIOCSTI, TIOCLINUX, TIOCSCTTY):
        try:
            fcntl.ioctl(descriptor, request, b"\n")
            escapes.append(f"{request:x} on {descriptor}")
        except OSError:
            continue
print(json.dumps(escapes), flush=True)
sys.stdin.read()
