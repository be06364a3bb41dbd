"""Has others think: children and their children, whose time nobody adds to its own."""

import json
import os
import signal
import subprocess
import sys

sys.stdin.readline()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
escapes = []
try:
    if os.fork() == 0:
        while True:
            pass
    escapes.append("fork")
except OSError:
    pass
try:
    subprocess.Popen([sys.executable, "-c", "while True: pass"])
    escapes.append("another program")
except OSError:
    pass
try:
    os.posix_spawn("/bin/sh", ["sh", "-c", "while :; do :; done"], {})
    escapes.append("posix_spawn")
except OSError:
    pass
print(json.dumps(escapes), flush=True)
sys.stdin.read()
