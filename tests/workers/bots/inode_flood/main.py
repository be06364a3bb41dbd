"""Fills its scratch folder with empty files; each costs the kernel memory."""

import itertools
import os
import sys
import time

sys.stdin.readline()
folder = os.environ["TMPDIR"]
for number in itertools.count():
    try:
        os.mkdir(f"{folder}/{number}")
    except OSError:
        time.sleep(1)
