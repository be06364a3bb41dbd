"""Programs that burn CPU time during a measurement, and end with it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LONGEST_S: Final = 3600
_BURN: Final = """
import os, sys, time
until, parent = time.monotonic() + float(sys.argv[1]), os.getppid()
while time.monotonic() < until and os.getppid() == parent:
    for _ in range(100_000): pass
"""


@contextmanager
def hogs(load: int) -> Iterator[None]:
    """Keep this many programs burning on each core until the block ends."""
    command = [sys.executable, "-I", "-S", "-c", _BURN, str(LONGEST_S)]
    burning: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(load * len(os.sched_getaffinity(0))):
            # Each in a session of its own: kernels share the CPU by sessions first.
            hog = subprocess.Popen(command, start_new_session=True)
            burning.append(hog)
        yield
    finally:
        for hog in burning:
            hog.kill()
            hog.wait()
