"""The uids of bots on the host: never 0, and one for each bot of a root worker."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import weakref
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

from workers.sandbox.errors import LayerMissing
from workers.sandbox.system_calls.filters import syscall_numbers

FIRST_UID = 60000
UIDS_PER_RANGE = 16
BOTS_PER_RANGE = UIDS_PER_RANGE - 1
RANGES = 256
_UNCHANGED = 0xFFFFFFFF
LOCKS: Final = Path("/run/pentathlon-sandbox")
"""The folder of locks: containers that share it never share a uid."""

_PR_SET_PDEATHSIG, _PR_GET_PDEATHSIG, _PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 1, 2, 3, 4

_libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def identity(uid: int) -> Iterator[None]:
    """Become a bot's user in this thread; programs started meanwhile run as that user, too.

    Real and effective ids are the bot's, and there are no groups. The saved ids stay the worker's,
    so the thread can change back. An exec forgets them and every capability, so a program has no
    more rights than if `setpriv` had started it, which takes .9 ms. Python's `user=` would first
    copy the memory map of the worker, which takes longer.

    Nobody can reach into the thread meanwhile: no other process has the uid of a bot that is about
    to start, and no process of that user may trace one that has changed its ids.

    Raises:
        OSError: the worker may not change its ids. A worker that hands on ambient capabilities is
            refused by bubblewrap.
    """
    if uid == os.geteuid():
        yield
        return
    users, groups, others = os.getresuid(), os.getresgid(), os.getgroups()
    # The kernel resets both when a process changes its effective ids.
    parent, death_signal, dumps = os.getppid(), _death_signal(), _libc.prctl(_PR_GET_DUMPABLE)
    try:
        _set_groups([])
        _set_ids("setresgid", uid, uid, groups[1])
        _set_ids("setresuid", uid, uid, users[1])
        yield
    finally:
        # Restore the effective uid first, because it brings back the right to set the others.
        _set_ids("setresuid", _UNCHANGED, users[1], _UNCHANGED)
        _set_ids("setresuid", *users)
        _set_ids("setresgid", *groups)
        _set_groups(others)
        _libc.prctl(_PR_SET_DUMPABLE, dumps)
        _libc.prctl(_PR_SET_PDEATHSIG, death_signal)
        if death_signal and os.getppid() != parent:
            os.kill(os.getpid(), death_signal)


@contextmanager
def real_user(uid: int) -> Iterator[None]:
    """Take the real uid and gid of a bot in this thread, as the kernel demands for limiting it.

    The effective uid, which decides about everything else, stays.
    """
    if uid == os.geteuid():
        yield
        return
    own_uid, own_gid = os.getuid(), os.getgid()
    try:
        _set_ids("setresgid", uid, _UNCHANGED, _UNCHANGED)
        _set_ids("setresuid", uid, _UNCHANGED, _UNCHANGED)
        yield
    finally:
        _set_ids("setresuid", own_uid, _UNCHANGED, _UNCHANGED)
        _set_ids("setresgid", own_gid, _UNCHANGED, _UNCHANGED)


def _set_ids(name: str, real: int, effective: int, saved: int) -> None:
    _call(name, *map(ctypes.c_uint, (real, effective, saved)))


def _set_groups(groups: Sequence[int]) -> None:
    _call("setgroups", ctypes.c_size_t(len(groups)), (ctypes.c_uint * len(groups))(*groups))


def _call(name: str, *arguments: Any) -> None:  # Any: of ctypes
    """Call the kernel directly, as the C library would change the ids of all threads."""
    if _libc.syscall(ctypes.c_long(_syscall_number(name)), *arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def _death_signal() -> int:
    found = ctypes.c_int()
    _libc.prctl(_PR_GET_PDEATHSIG, ctypes.byref(found))
    return found.value


@cache
def _syscall_number(name: str) -> int:
    return syscall_numbers(os.uname().machine)[name]


class UidPool:
    """The uids for the bots of one worker.

    A root worker claims a range of 16 uids for as long as it lives: by an abstract socket name
    within its network namespace, and by a lock among all who share the folder of locks. The kernel
    frees both with the process. Workers that share neither begin the search at different ranges.
    The first uid is that of fork servers.
    """

    def __init__(self) -> None:
        self.close: Callable[[], object] = _nothing
        """Frees the range; also called when this object is garbage-collected."""
        self.server = os.geteuid()
        """The uid of fork servers, no bot's under root; checks of it hold for the others, too."""
        if os.geteuid() != 0:
            self._free = [os.geteuid()] * BOTS_PER_RANGE
            return
        claim, number = _claim_range()
        self.close = weakref.finalize(self, claim.close)
        self.server = FIRST_UID + number * UIDS_PER_RANGE
        _check_mapped(self.server)
        self._free = list(range(self.server + 1, self.server + UIDS_PER_RANGE))

    def take(self) -> int:
        """Return a uid that no running bot of this worker has."""
        if not self._free:
            raise LayerMissing(
                "identity",
                reason=f"{BOTS_PER_RANGE} bots of this worker are running already",
                remedy="Stop bots before starting more; a worker plays one match at a time.",
            )
        return self._free.pop(0)

    def give_back(self, uid: int) -> None:
        """Return the uid of a bot that has ended to the pool."""
        self._free.append(uid)


def _nothing() -> None:
    """Do nothing, as an ordinary user has claimed no range."""


def _claim_range() -> tuple[ExitStack, int]:
    first = _first_range()
    for step in range(RANGES):
        number = (first + step) % RANGES
        with ExitStack() as claim:
            if _bind(number, claim) and _lock(number, claim):
                return claim.pop_all(), number
    raise LayerMissing(
        "identity",
        reason=f"all {RANGES} ranges of uids on this machine are taken",
        remedy="Run fewer workers here.",
    )


def _first_range() -> int:
    """Return the range to try first; containers that cannot see each other begin far apart."""
    namespace = Path("/proc/self/ns/net").stat().st_ino
    return zlib.crc32(str(namespace).encode()) % RANGES


def _bind(number: int, claim: ExitStack) -> bool:
    name = claim.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    try:
        name.bind(f"\0pentathlon-sandbox-slot-{number}")
    except OSError:
        return False
    return True


def _lock(number: int, claim: ExitStack) -> bool:
    """Lock a range; return False if it is taken. Without a folder of locks, return True."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        LOCKS.mkdir(mode=0o700, exist_ok=True)
        if LOCKS.lstat().st_uid != os.geteuid():
            return True
        lock = os.open(LOCKS / f"slot-{number}", flags, 0o600)
    except OSError:
        return True
    claim.callback(os.close, lock)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _check_mapped(uid: int) -> None:
    """Raise `LayerMissing` if the user namespace has no such uid."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    ranges = [tuple(int(field) for field in line.split()) for line in lines]
    if not any(first <= uid < first + count for first, _, count in ranges):
        raise LayerMissing(
            "identity",
            reason=f"the worker is root, and uid {uid} does not exist in its user namespace",
            remedy="Run the worker as an ordinary user.",
        )
