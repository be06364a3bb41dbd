"""Keeps memory that belongs to no process: files without a name, queues, segments."""

import ctypes
import json
import sys
from collections.abc import Callable

libc = ctypes.CDLL(None, use_errno=True)
sys.stdin.readline()
attempts: dict[str, Callable[[], int]] = {
    "memfd": lambda: libc.memfd_create(b"x", 0),
    "segment": lambda: libc.shmget(0, ctypes.c_size_t(1 << 20), 0o1600),
    "semaphores": lambda: libc.semget(0, 16, 0o1600),
    "messages": lambda: libc.msgget(0, 0o1600),
    "queue": lambda: libc.mq_open(b"/x", 0o102, 0o600, None),
    "page faults": lambda: libc.syscall(323, 0),
}
escapes = [name for name, attempt in attempts.items() if attempt() >= 0]
print(json.dumps(escapes), flush=True)
sys.stdin.read()
