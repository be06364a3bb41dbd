"""Reads cold pages one after the other, so as to wait for the disk of its host."""

import os
import sys
from collections.abc import Iterator

LARGE = 2 * 1024 * 1024
STEP = 256 * 1024


def large_files() -> Iterator[tuple[str, int]]:
    for folder, _, names in os.walk("/usr/lib"):
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118  # pathlib is no small import
            if not os.path.islink(path) and os.path.getsize(path) >= LARGE:  # noqa: PTH114, PTH202
                yield path, os.path.getsize(path)  # noqa: PTH202


def read_a_little(path: str, size: int) -> None:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return
    for offset in range(0, size, STEP):
        os.pread(file, 1, offset)
    os.close(file)


sys.stdin.readline()
FILES = list(large_files())
print('{"type": "ready"}', flush=True)
sys.stdin.readline()
while True:
    for path, size in FILES:
        read_a_little(path, size)
