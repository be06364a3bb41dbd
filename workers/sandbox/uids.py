"""The uids of bots on the host: never 0, and one for each bot of a root worker."""

from __future__ import annotations

import fcntl
import os
import socket
import weakref
import zlib
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final, TypedDict

from workers.sandbox.errors import LayerMissing

FIRST_UID = 60000
SETPRIV = Path("/usr/bin/setpriv")
BOTS_PER_RANGE = 16
RANGES = 256
LOCKS: Final = Path("/run/pentathlon-sandbox")
"""The folder of locks: containers that share it never share a uid."""


class UserArguments(TypedDict, total=False):
    """Arguments of `subprocess.Popen` that drop the worker's identity."""

    user: int
    group: int
    extra_groups: list[int]


def user_arguments(uid: int) -> UserArguments:
    """Return the arguments that make a child run as `uid`; none when that is our own."""
    if uid == os.geteuid():
        return {}
    return {"user": uid, "group": uid, "extra_groups": []}


def run_as(uid: int) -> tuple[list[str], UserArguments]:
    """Return the command prefix and the `Popen` arguments that make a command run as `uid`.

    Where setpriv is installed it drops root. If Python did, it would copy the memory map of the
    worker first, which takes longer than all of bubblewrap.
    """
    if uid == os.geteuid() or not SETPRIV.exists():
        return [], user_arguments(uid)
    return [str(SETPRIV), f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"], {}


class UidPool:
    """The uids for the bots of one worker.

    A root worker claims a range of 16 uids for as long as it lives: by an abstract socket name for
    its network namespace, and by a lock for everybody who shares the folder of locks. The kernel
    frees both with the process. Workers that share neither start at different ranges.
    """

    def __init__(self) -> None:
        self.close: Callable[[], object] = _nothing
        """Frees the range; also called when this object is garbage."""
        if os.geteuid() != 0:
            self._free = [os.geteuid()] * BOTS_PER_RANGE
            return
        claim, number = _claim_range()
        self.close = weakref.finalize(self, claim.close)
        first = FIRST_UID + number * BOTS_PER_RANGE
        _check_mapped(first)
        self._free = list(range(first, first + BOTS_PER_RANGE))

    @property
    def first(self) -> int:
        """The lowest of them, for checks that hold for all."""
        return self._free[0]

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
    """Do nothing: an ordinary user has claimed no range."""


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
    """Return where to begin: containers that cannot see each other begin far apart."""
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
    """Lock a range; return False if it is taken, True also where there is no folder of locks."""
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
    """Refuse in a user namespace that has no such uid."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    ranges = [tuple(int(field) for field in line.split()) for line in lines]
    if not any(first <= uid < first + count for first, _, count in ranges):
        raise LayerMissing(
            "identity",
            reason=f"the worker is root, and uid {uid} does not exist in its user namespace",
            remedy="Run the worker as an ordinary user.",
        )
