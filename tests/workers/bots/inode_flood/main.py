"""Fills its scratch folder with empty files; each costs the kernel memory."""

import itertools
import os
import sys
import time
from pathlib import Path

sys.stdin.readline()
folder = os.environ["TMPDIR"]
for number in itertools.count():
    try:
        Path(folder, str(number)).mkdir()
    except OSError:
        time.sleep(1)
