"""Starts a program that keeps temporary files on a small disk of its own, which nobody else sees.

With this file as SOURCE, `python -c SOURCE FOLDER BYTES PROGRAM …` makes a mount namespace, mounts
that many bytes of memory at the folder and becomes the program. The disk vanishes with the last
process that sees it. This file imports the standard library only, as the program loads the rest
itself.
"""

import ctypes
import os
import sys
from pathlib import Path

_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_NO_SETUID, _NO_DEVICES = 2, 4
_ALL_BELOW, _PRIVATE = 0x4000, 0x40000

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Mount the disk and become the program; raise `OSError` where the host forbids it."""
    folder, size_bytes, *command = sys.argv[1:]
    _leave_the_hosts_mounts()
    options = f"size={size_bytes},mode=755".encode()
    _mount(b"tmpfs", folder.encode(), b"tmpfs", _NO_SETUID | _NO_DEVICES, options)
    os.execvp(command[0], command)  # noqa: S606  # the caller's own program


def _leave_the_hosts_mounts() -> None:
    """Enter a mount namespace of our own and, unless we are root, a user namespace, too."""
    uid, gid = os.geteuid(), os.getegid()
    _check(_libc.unshare(_NEW_MOUNTS | (_NEW_USERS if uid else 0)))
    if uid:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    # Otherwise the host would see what is mounted here.
    _mount(None, b"/", None, _ALL_BELOW | _PRIVATE, None)


def _mount(
    source: bytes | None, target: bytes, kind: bytes | None, flags: int, options: bytes | None
) -> None:
    _check(_libc.mount(source, target, kind, ctypes.c_ulong(flags), options))


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
