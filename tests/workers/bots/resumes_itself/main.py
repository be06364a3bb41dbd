"""Looks for a way to be continued when its opponent is to move: a signal, by any means."""

import ctypes
import fcntl
import json
import os
import platform
import signal
import sys
from collections.abc import Callable

libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {
    "x86_64": {"timer_create": 222, "tkill": 200, "tgkill": 234, "queue": 129, "tgqueue": 297},
    "aarch64": {"timer_create": 107, "tkill": 130, "tgkill": 131, "queue": 138, "tgqueue": 240},
}[platform.machine()]
PIDFD_OPEN, PIDFD_SEND_SIGNAL = 434, 424
F_SETSIG, F_SETOWN_EX = 10, 15
THREAD = 0


class Event(ctypes.Structure):
    """What a timer does when it is due: value, signal, and whom to tell (by signal)."""

    _fields_ = (("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int * 13))


def call(number: int, *arguments: object) -> None:
    """Make a system call; `OSError` when it fails."""
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def queued() -> ctypes.Array[ctypes.c_int]:
    """Return what a queued signal says about itself."""
    return (ctypes.c_int * 32)(signal.SIGCONT, 0, -1)


def async_file() -> None:
    """Have a pair of sockets announce what comes by a signal of its choice."""
    ours, _ = os.pipe()
    fcntl.fcntl(ours, F_SETSIG, signal.SIGCONT)


def owned_file() -> None:
    """Have a thread of its own be told."""
    ours, _ = os.pipe()
    fcntl.fcntl(ours, F_SETOWN_EX, (ctypes.c_int * 2)(THREAD, os.getpid()))


def handle() -> None:
    """Send it by a handle."""
    descriptor = libc.syscall(PIDFD_OPEN, os.getpid(), 0)
    call(PIDFD_SEND_SIGNAL, descriptor, signal.SIGCONT, None, 0)


event = Event(None, signal.SIGCONT)
timer = ctypes.c_void_p()
own = os.getpid()
WAYS: dict[str, Callable[[], object]] = {
    "timer": lambda: call(NUMBERS["timer_create"], 1, ctypes.byref(event), ctypes.byref(timer)),
    "kill": lambda: os.kill(own, signal.SIGCONT),
    "group": lambda: os.kill(0, signal.SIGCONT),
    "tkill": lambda: call(NUMBERS["tkill"], own, signal.SIGCONT),
    "tgkill": lambda: call(NUMBERS["tgkill"], own, own, signal.SIGCONT),
    "high bits": lambda: call(
        NUMBERS["tgkill"], own, own, ctypes.c_ulong(1 << 32 | signal.SIGCONT)
    ),
    "queue": lambda: call(NUMBERS["queue"], own, signal.SIGCONT, queued()),
    "queue to a thread": lambda: call(NUMBERS["tgqueue"], own, own, signal.SIGCONT, queued()),
    "signal of a file": async_file,
    "owner of a file": owned_file,
    "owner": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, own),
    "note of a folder": lambda: fcntl.fcntl(os.open("/bot", os.O_RDONLY), fcntl.F_NOTIFY, 1),
    "handle": handle,
}
sys.stdin.readline()
escapes = []
for name, way in WAYS.items():
    try:
        way()
    except OSError:
        continue
    escapes.append(name)
print(json.dumps(escapes), flush=True)
sys.stdin.read()
