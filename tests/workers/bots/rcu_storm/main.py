"""Makes the kernel tidy up: files, pipes and threads that live for a moment only."""

import contextlib
import json
import os
import sys
import threading
from pathlib import Path

ROUNDS = 200

sys.stdin.readline()
for number in range(ROUNDS):
    thread = threading.Thread(target=os.getpid)
    thread.start()
    for end in os.pipe():
        os.close(end)
    folder = Path("/tmp", str(number))  # its own
    with contextlib.suppress(OSError):
        folder.mkdir()
        folder.rmdir()
    thread.join()
print(json.dumps([]), flush=True)
sys.stdin.read()
