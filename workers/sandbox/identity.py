"""Who a bot is on the host: never uid 0, and one uid per bot when the worker is root."""

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
BOTS_PER_SLOT = 16
SLOTS = 256
LOCKS: Final = Path("/run/pentathlon-sandbox")
"""Where slots are locked: containers that share this folder never have a uid in common."""


class UserArguments(TypedDict, total=False):
    """Arguments of `subprocess.Popen` that drop the worker's identity."""

    user: int
    group: int
    extra_groups: list[int]


def user_arguments(uid: int) -> UserArguments:
    """Return what makes a child run as `uid`; nothing when that is who we are."""
    if uid == os.geteuid():
        return {}
    return {"user": uid, "group": uid, "extra_groups": []}


def become(uid: int) -> tuple[list[str], UserArguments]:
    """Return the words before a command, and the arguments of `Popen`, that make it run as `uid`.

    A program drops root's identity where it can: for Python to do so it would have to copy the
    memory map of the worker, which takes longer than all of bubblewrap.
    """
    if uid == os.geteuid() or not SETPRIV.exists():
        return [], user_arguments(uid)
    return [str(SETPRIV), f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"], {}


class Identities:
    """The uids that the bots of one worker may have.

    A root worker claims a slot of 16 uids for as long as it lives: by an abstract socket name, for
    all in its network namespace, and by a lock, for all who share the folder of locks. The kernel
    frees both with the process. Who shares neither begins elsewhere in the range.
    """

    def __init__(self) -> None:
        self.close: Callable[[], object] = _nothing
        """Frees the slot; also called when this object is no longer used."""
        if os.geteuid() != 0:
            self._free = [os.geteuid()] * BOTS_PER_SLOT
            return
        claim, slot = _claim_slot()
        self.close = weakref.finalize(self, claim.close)
        first = FIRST_UID + slot * BOTS_PER_SLOT
        _check_mapped(first)
        self._free = list(range(first, first + BOTS_PER_SLOT))

    @property
    def first(self) -> int:
        """A uid that stands for all of them."""
        return self._free[0]

    def take(self) -> int:
        """Return a uid that no running bot of this worker has."""
        if not self._free:
            raise LayerMissing(
                "identity",
                reason=f"{BOTS_PER_SLOT} bots of this worker are running already",
                remedy="Stop bots before starting more; a worker plays one match at a time.",
            )
        return self._free.pop(0)

    def give_back(self, uid: int) -> None:
        """Let the uid of a bot that has ended be used again."""
        self._free.append(uid)


def _nothing() -> None:
    """Free nothing: an ordinary user has no slot."""


def _claim_slot() -> tuple[ExitStack, int]:
    first = _first_slot()
    for number in range(SLOTS):
        slot = (first + number) % SLOTS
        with ExitStack() as claim:
            if _is_bound(slot, claim) and _is_locked(slot, claim):
                return claim.pop_all(), slot
    raise LayerMissing(
        "identity",
        reason=f"all {SLOTS} worker slots of this machine are taken",
        remedy="Run fewer workers here.",
    )


def _first_slot() -> int:
    """Return where to begin: containers that see nothing of each other begin far apart."""
    namespace = Path("/proc/self/ns/net").stat().st_ino
    return zlib.crc32(str(namespace).encode()) % SLOTS


def _is_bound(slot: int, claim: ExitStack) -> bool:
    name = claim.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    try:
        name.bind(f"\0pentathlon-sandbox-slot-{slot}")
    except OSError:
        return False
    return True


def _is_locked(slot: int, claim: ExitStack) -> bool:
    """Say whether a slot could be locked, or there is no folder for locks."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        LOCKS.mkdir(mode=0o700, exist_ok=True)
        if LOCKS.lstat().st_uid != os.geteuid():
            return True
        lock = os.open(LOCKS / f"slot-{slot}", flags, 0o600)
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
