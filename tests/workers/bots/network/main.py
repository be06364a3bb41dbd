"""Looks for somebody to talk to."""

import json
import socket
import sys

sys.stdin.readline()
escapes = []
for family in range(1, 46):
    for kind in (1, 2, 3, 5):
        try:
            socket.socket(family, kind).close()
            escapes.append(f"family {family}, kind {kind}")
        except OSError:
            continue
try:
    socket.create_connection(("127.0.0.1", 80), timeout=1)
    escapes.append("connection")
except OSError:
    pass
print(json.dumps(escapes), flush=True)
sys.stdin.read()
