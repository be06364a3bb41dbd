"""Takes memory by its stack: one call in another, each with a large frame."""

import ctypes
import sys
import threading

sys.stdin.readline()
threading.stack_size(128 << 20)
COMPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
libc = ctypes.CDLL(None)
sys.setrecursionlimit(10**9)
items = (ctypes.c_char * 2)()


def deeper(_left: int, _right: int) -> int:
    """Go on through C, so that the stack itself grows and not the heap."""
    libc.qsort(items, ctypes.c_size_t(2), ctypes.c_size_t(1), COMPARE(deeper))
    return 0


threading.Thread(target=deeper, args=(0, 0)).start()
