"""Tries to break each layer of the sandbox, prints the outcome, then makes a forbidden call."""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
NO_SUCH_CALL = 999
MADV_POPULATE_READ = 22
CLOSE_RANGE, CLOSE_RANGE_UNSHARE = 436, 2
PR_SET_PDEATHSIG = 1


def refusal(action: Callable[..., object], *arguments: object) -> str | None:
    """Return the name of the error that an action meets, or None when it succeeds."""
    try:
        action(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return None


def call(function: Callable[..., Any], *arguments: int) -> None:  # Any: a C function
    """Call the C library, raising its errors."""
    if function(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def fork() -> None:
    """Make a process that ends at once."""
    if os.fork() == 0:
        os._exit(0)


def write(path: str) -> None:
    """Create a file."""
    Path(path).write_text("canary")


def read(path: str) -> None:
    """Read a file."""
    Path(path).read_bytes()


def resume() -> None:
    """Send the signal that ends a pause."""
    os.kill(os.getpid(), signal.SIGCONT)


def populate() -> None:
    """Ask the kernel to fill memory in one call."""
    mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).madvise(MADV_POPULATE_READ)


def share() -> None:
    """Map memory whose pages belong to no process."""
    mmap.mmap(-1, 4096)


def notify() -> None:
    """Ask for notifications about a folder."""
    fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)


def lock() -> None:
    """Lock a file that every bot sees twice, through two descriptors."""
    for file in (os.open("/usr", os.O_RDONLY), os.open("/usr", os.O_RDONLY)):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def limits() -> dict[str, tuple[int, int]]:
    """Return the soft and hard limit of every resource."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return {name[7:].lower(): resource.getrlimit(getattr(resource, name)) for name in names}


bot, scratch = sys.argv[1], os.environ["TMPDIR"]
findings = {
    "environment": sorted(os.environ),
    "write": {
        path: refusal(write, f"{path}/pentathlon-canary")
        for path in ("/", "/usr", "/var/tmp", "/dev/shm", bot)  # noqa: S108  # none may be writable
    },
    "read": {path: refusal(read, path) for path in ("/etc/passwd", "/proc/self/status")},
    "scratch": refusal(write, f"{scratch}/canary"),
    "calls": {
        "fork": refusal(fork),
        "setsid": refusal(call, LIBC.setsid),
        "socket": refusal(call, LIBC.socket, 2, 1, 0),
        "prctl": refusal(call, LIBC.prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0),
        "unknown": refusal(call, LIBC.syscall, NO_SUCH_CALL),
        "resume": refusal(resume),
        "populate": refusal(populate),
        "share": refusal(share),
        "notify": refusal(notify),
        "lock": refusal(lock),
        "unshare files": refusal(call, LIBC.syscall, CLOSE_RANGE, 9, 9, CLOSE_RANGE_UNSHARE),
    },
    "rlimits": limits(),
}
print(json.dumps(findings), flush=True)  # noqa: T201  # the protocol of this bot
sys.stdin.readline()
LIBC.ptrace(0, 0, 0, 0)
