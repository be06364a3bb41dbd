"""Fills its scratch folder with files without a name, some open and some only mapped."""

import ctypes
import json
import mmap
import os
import sys

MEBIBYTE = 1 << 20
MMAP = ctypes.CDLL(None).mmap
MMAP.restype = ctypes.c_void_p
MMAP.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]


def hold(number: int) -> int:
    """Keep a file of two mebibytes that is in no folder; return the bytes."""
    path = f"{os.environ['TMPDIR']}/{number}"
    file = os.open(path, os.O_CREAT | os.O_RDWR)
    os.unlink(path)  # noqa: PTH108
    os.posix_fallocate(file, 0, 2 * MEBIBYTE)
    if number % 2:
        # Python's own map would keep the file open.
        MMAP(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE, file, 0)
        os.close(file)
    return 2 * MEBIBYTE


sys.stdin.readline()
held = 0
try:
    for number in range(40):
        held += hold(number)
except OSError:
    pass
print(json.dumps(["scratch"] if held > 16 * MEBIBYTE else []), flush=True)
sys.stdin.read()
