"""Hides files deeper than any path can name, in folders that it closes behind itself."""

import os
import sys
import time
from pathlib import Path

sys.stdin.readline()
os.chdir(os.environ["TMPDIR"])
try:
    while True:
        Path("d" * 200).mkdir()
        os.chdir("d" * 200)
        Path("e" * 200).mkdir(mode=0o000)
except OSError:
    time.sleep(60)
