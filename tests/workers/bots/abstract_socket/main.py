"""Meets an accomplice under a name that no file system knows."""

import json
import socket
import sys

sys.stdin.readline()
escapes = []
for name in ("\0accomplice", "/tmp/accomplice"):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            with socket.socket(socket.AF_UNIX, kind) as end:
                end.bind(name)
                escapes.append(name)
        except OSError:
            continue
print(json.dumps(escapes), flush=True)
sys.stdin.read()
