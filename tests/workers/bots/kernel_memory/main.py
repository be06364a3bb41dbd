"""Makes the kernel hold memory for it: pipes, as large as they get, all full."""

import fcntl
import os
import sys
from contextlib import suppress

SET_PIPE_SIZE = 1031
sys.stdin.readline()
try:
    while True:
        _, end = os.pipe()
        os.set_blocking(end, False)
        with suppress(OSError):
            fcntl.fcntl(end, SET_PIPE_SIZE, 1 << 20)
        try:
            while True:
                os.write(end, bytes(65536))
        except BlockingIOError:
            continue
except OSError:
    print("[]", flush=True)
sys.stdin.read()
