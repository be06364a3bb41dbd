"""Looks up names that nobody has, as many as it can: on a disk each takes memory of the host."""

import itertools
import os
import sys

sys.stdin.readline()
for number in itertools.count():
    os.access(f"/usr/bin/.absent-{number}", os.F_OK)
