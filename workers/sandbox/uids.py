"""The uids of bots on the host: never 0, and one for each bot of a root worker."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import subprocess
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Final, TypedDict

from workers.sandbox.errors import LayerMissing
from workers.sandbox.system_calls.filters import syscall_numbers

FIRST_UID = 60000
DROPS: Mapping[Path, Sequence[str]] = {
    Path("/usr/sbin/chroot"): ("--userspec=+{uid}:+{uid}", "--groups=", "--skip-chdir", "/"),
    Path("/usr/bin/setpriv"): ("--reuid={uid}", "--regid={uid}", "--clear-groups", "--"),
}
"""The programs that drop root, with their options: the one that starts faster comes first."""
BOTS_PER_RANGE = 16
RANGES = 256
_LONGEST_TRIAL_S = 10.0
_UNCHANGED = 0xFFFFFFFF
LOCKS: Final = Path("/run/pentathlon-sandbox")
"""The folder of locks: containers that share it never share a uid."""


_libc = ctypes.CDLL(None, use_errno=True)


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

    A program drops root where one can. If Python did, it would copy the memory map of the worker
    first, which takes longer than all of bubblewrap.
    """
    if uid == os.geteuid():
        return [], {}
    for program, options in DROPS.items():
        words = [str(program), *(option.format(uid=uid) for option in options)]
        if _drops_root(program):
            return words, {}
    return [], user_arguments(uid)


@contextmanager
def real_user(uid: int) -> Iterator[None]:
    """Have the real uid and gid of a bot in this thread, as the kernel asks of who limits it.

    The effective uid, which decides about everything else, stays. The C library would change the
    ids of all threads.
    """
    if uid == os.geteuid():
        yield
        return
    own_uid, own_gid = os.getuid(), os.getgid()
    try:
        _change_id("setresgid", uid)
        _change_id("setresuid", uid)
        yield
    finally:
        _change_id("setresuid", own_uid)
        _change_id("setresgid", own_gid)


def _change_id(name: str, real: int) -> None:
    kept = ctypes.c_uint(_UNCHANGED)
    number = _syscall_number(name)
    if _libc.syscall(ctypes.c_long(number), ctypes.c_uint(real), kept, kept) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name} {real}: {os.strerror(code)}")


@cache
def _syscall_number(name: str) -> int:
    return syscall_numbers(os.uname().machine)[name]


@cache
def _drops_root(program: Path) -> bool:
    """Try a program once: not each chroot knows users, and not each root may call it."""
    options = [option.format(uid=FIRST_UID) for option in DROPS[program]]
    try:
        ended = subprocess.run(
            [program, *options, "/usr/bin/id", "-u"],
            capture_output=True,
            check=False,
            timeout=_LONGEST_TRIAL_S,
            env={},
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return ended.stdout == b"%d\n" % FIRST_UID


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
